/** @import { Item, SyncRun, SyncState } from '../parts/types' */

const { localTime, syncStates } = require('./shared/sync-states');

/**
 * @param {{ rows: SyncRun[], now: Date, timeZone: string, project: string }} inputs
 * @returns {[Item<{ html: string }>]}
 */
module.exports = ({ rows, now, timeZone, project }) => {
	// One page: the state of each sync, and what its last runs have done. It contains no script.
	const states = syncStates(rows, now);
	const needing = states.filter(({ light }) => light !== 'green').length;
	const summary =
		states.length === 0
			? 'No sync has run yet in this project.'
			: `${needing} of ${states.length} ${states.length === 1 ? 'sync needs' : 'syncs need'} a look.`;
	const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sync Status: ${escaped(project)}</title>
<style>${style()}</style>
</head>
<body>
<header>
<h1>Sync Status</h1>
<p>Project <b>${escaped(project)}</b> · ${escaped(localTime(now, timeZone))} (${escaped(timeZone)})</p>
<p class="summary">${escaped(summary)}</p>
${states.length > 0 ? legend() : ''}
</header>
<main>
${states.map(card).join('\n')}
</main>
</body>
</html>
`;
	return [{ json: { html } }];

	/** @param {SyncState} state */
	function card(state) {
		const { name, workflow, light, runs, last, lastEnded, lastComplete } = state;
		const complete = lastComplete
			? `${time(lastComplete.endedAt)}, ${age(lastComplete.endedAt)}`
			: 'never';
		const facts = [
			['Last complete run', complete],
			['Documents in the index', lastEnded?.documents ?? 'unknown'],
			['Last 24 hours', lastDay(runs)],
			[state.isRunning ? 'Running now' : 'Last run', runText(last)],
		];
		return `<article class="${light}">
<h2><a href="../workflow/${encodeURIComponent(workflow)}">${escaped(name)}</a></h2>
<p class="state"><span class="light" aria-hidden="true"></span>${escaped(stateText(state))}</p>
${action(state)}
<dl>${facts.map(([term, value]) => `<div><dt>${term}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>
${chart(runs.slice(-30))}
${problems(lastEnded)}
</article>`;
	}

	/** @param {SyncState} state */
	function stateText({ isRunning, isKilled, isLate, last, lastEnded }) {
		const words = [];
		if (isLate) {
			words.push(
				`Late: the next run was due before ${time(last.nextBefore)}, ${age(last.nextBefore)}`,
			);
		}
		if (isKilled) words.push(`Killed: the run of ${time(last.beganAt)} has not ended`);
		if (isRunning) words.push(`Running since ${time(last.beganAt)}`);
		const outcome = {
			complete: isLate || isKilled ? '' : 'Complete',
			incomplete: 'Incomplete: some documents wait for the next run',
			withheld: 'Deletes are withheld',
			failed: 'Failed',
		};
		const ended = Object.entries(outcome).find(([key]) => key === lastEnded?.outcome);
		if (ended?.[1]) words.push(ended[1]);
		return `${words.join('. ') || 'No run has ended yet'}.`;
	}

	/**
	 * What a person can do: the error of the last run, and how to approve what was withheld.
	 * @param {SyncState} state
	 */
	function action({ last, lastEnded, isLate, isKilled }) {
		const lines = [];
		if (lastEnded?.error) lines.push(`<p class="error">${escaped(lastEnded.error)}</p>`);
		if (isKilled) {
			lines.push(
				'<p>The next run goes on where it stopped. If it stopped without a reason, look at its execution and at n8n’s log.</p>',
			);
		}
		if (isLate && !isKilled) {
			lines.push(
				'<p>Check whether the workflow is still published, and whether n8n was running at that time.</p>',
			);
		}
		const approvable = lastEnded?.approvable ?? 0;
		if (approvable > 0) {
			const how =
				last.startedBy === 'webhook'
					? `send the list once with <code>"confirmDeletes": ${approvable}</code>`
					: 'start the workflow once by its trigger <i>Delete What Is Missing</i>';
			lines.push(
				`<p><b>${escaped(approvable)} ${approvable === 1 ? 'delete waits' : 'deletes wait'} for an approval.</b> If these documents are really gone, ${how}. It deletes at most ${escaped(approvable)}.</p>`,
			);
		}
		return lines.join('\n');
	}

	/** @param {SyncRun | undefined} run */
	function problems(run) {
		const lines = String(run?.problems ?? '')
			.split('\n')
			.filter((line) => line.trim() !== '');
		if (lines.length === 0) return '';
		const items = lines.map((line) => `<li>${escaped(line)}</li>`).join('');
		return `<details open><summary>Problems of the last run</summary><ul>${items}</ul></details>`;
	}

	/** @param {SyncRun} run */
	function runText(run) {
		const parts = [
			[run.pushed, 'pushed'],
			[run.deleted, 'deleted'],
			[run.failed, 'failed'],
			[run.unreadable, 'unreadable'],
			[run.withheld, 'withheld'],
			[run.later, 'later'],
			[run.skipped, 'skipped'],
			[run.unchanged, 'unchanged'],
		].filter(([count, word]) => count || word === 'pushed' || word === 'deleted');
		const counts = parts.map(([count, word]) => `${count ?? 0} ${word}`).join(', ');
		return `${time(run.beganAt)}${run.startedBy ? `, ${run.startedBy}` : ''}: ${counts}`;
	}

	/** @param {SyncRun[]} runs */
	function lastDay(runs) {
		const day = 24 * 60 * 60 * 1000;
		const recent = runs.filter(
			({ beganAt }) => beganAt && now.getTime() - new Date(beganAt).getTime() < day,
		);
		const pushed = recent.reduce((sum, run) => sum + (run.pushed ?? 0), 0);
		const deleted = recent.reduce((sum, run) => sum + (run.deleted ?? 0), 0);
		const count = recent.length === 1 ? '1 run' : `${recent.length} runs`;
		return `${count}, ${pushed} pushed, ${deleted} deleted`;
	}

	/**
	 * One bar per run: pushed, deleted, and what failed or was unreadable.
	 * @param {SyncRun[]} runs
	 */
	function chart(runs) {
		const [width, height, step] = [600, 80, 20];
		const bars = runs.map((run) => ({
			run,
			pushed: run.pushed ?? 0,
			deleted: run.deleted ?? 0,
			failed: (run.failed ?? 0) + (run.unreadable ?? 0),
		}));
		const most = Math.max(...bars.map((bar) => bar.pushed + bar.deleted + bar.failed), 1);
		const begin = width - bars.length * step;
		const drawn = bars.map(({ run, ...counts }, at) => {
			let y = height;
			const parts = Object.entries(counts).map(([name, count]) => {
				// A small number stays visible beside a large one.
				const part = count > 0 ? Math.max((count / most) * (height - 6), 2) : 0;
				y -= part;
				return part > 0
					? `<rect class="${name}" x="${begin + at * step + 2}" y="${y.toFixed(1)}" width="${step - 4}" height="${part.toFixed(1)}"/>`
					: '';
			});
			const isUneventful = parts.every((part) => part === '');
			const mark = isUneventful
				? `<rect class="${run.endedAt ? 'nothing' : 'failed'}" x="${begin + at * step + 2}" y="${height - 2}" width="${step - 4}" height="2"/>`
				: '';
			return `<g><title>${escaped(runText(run))}</title><rect class="area" x="${begin + at * step}" y="0" width="${step}" height="${height}"/>${parts.join('')}${mark}</g>`;
		});
		const last = runs.length === 1 ? 'One run' : `The last ${runs.length} runs`;
		const label = `${last}. The highest bar is ${most} ${most === 1 ? 'document' : 'documents'}.`;
		return `<figure><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">${drawn.join('')}</svg><figcaption>${escaped(label)}</figcaption></figure>`;
	}

	function legend() {
		const names = ['pushed', 'deleted', 'failed'];
		const parts = names.map((name) => `<span><i class="${name}"></i>${name}</span>`);
		return `<p class="legend">${parts.join(' ')}</p>`;
	}

	/** @param {string | null | undefined} date */
	function time(date) {
		return localTime(date, timeZone);
	}

	/** @param {string | null | undefined} date */
	function age(date) {
		if (!date) return '';
		const minutes = Math.max(
			0,
			Math.round((now.getTime() - new Date(date).getTime()) / 60_000),
		);
		if (minutes < 120) return `${minutes} minutes ago`;
		const hours = Math.round(minutes / 60);
		return hours < 48 ? `${hours} hours ago` : `${Math.round(hours / 24)} days ago`;
	}

	/**
	 * Everything that comes from outside may contain HTML, for example the ID of a document.
	 * @param {unknown} value
	 */
	function escaped(value) {
		return String(value)
			.replaceAll('&', '&amp;')
			.replaceAll('<', '&lt;')
			.replaceAll('>', '&gt;')
			.replaceAll('"', '&quot;');
	}

	function style() {
		return `
:root { color-scheme: light dark; --text: #1f2328; --soft: #59636e; --page: #f6f8fa; --card: #fff; --line: #d1d9e0;
	--red: #c62828; --amber: #b26a00; --green: #2e7d32; --pushed: #1f6feb; --deleted: #8250df; --failed: #c62828; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9198a1; --page: #0d1117; --card: #151b23;
	--line: #3d444d; --red: #ff7b72; --amber: #e3a008; --green: #56d364; --pushed: #58a6ff; --deleted: #bc8cff; --failed: #ff7b72; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1100px; padding: 16px; background: var(--page); color: var(--text);
	font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0; }
h2 { font-size: 17px; margin: 0; overflow-wrap: anywhere; }
header p { margin: 4px 0; color: var(--soft); }
.summary { color: var(--text); font-weight: 600; }
main { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr)); margin-top: 16px; align-items: start; }
article { background: var(--card); border: 1px solid var(--line); border-left: 6px solid var(--light); border-radius: 8px; padding: 14px 16px; }
.red { --light: var(--red); } .amber { --light: var(--amber); } .green { --light: var(--green); }
a { color: inherit; }
.state { font-weight: 600; margin: 6px 0; }
.light { display: inline-block; width: 12px; height: 12px; margin-right: 8px; background: var(--light); }
.green .light { border-radius: 50%; } .amber .light { transform: rotate(45deg); }
.error, li { overflow-wrap: anywhere; }
dl { margin: 8px 0; } dl div { display: flex; gap: 8px; } dt { color: var(--soft); flex: 0 0 190px; } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 8px 0; } svg { width: 100%; height: auto; border-bottom: 1px solid var(--line); }
figcaption, .legend { color: var(--soft); font-size: 13px; }
rect.area { fill: transparent; } rect.nothing { fill: var(--line); }
rect.pushed, i.pushed { fill: var(--pushed); background: var(--pushed); }
rect.deleted, i.deleted { fill: var(--deleted); background: var(--deleted); }
rect.failed, i.failed { fill: var(--failed); background: var(--failed); }
.legend span { margin-right: 14px; } .legend i { display: inline-block; width: 10px; height: 10px; margin-right: 5px; }
ul { margin: 4px 0; padding-left: 20px; } code { overflow-wrap: anywhere; }
@media (max-width: 480px) { dl div { display: block; } dt { flex: none; } }
`;
	}
};
