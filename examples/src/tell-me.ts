import { allRuns, closeRow, runsTable } from './parts/history';
import { code, node, note, workflow } from './parts/workflow';

export default workflow(
	'Tell Me',
	[
		note(
			'Note',
			`## Tell me when a run fails, or a sync is late

Sends one message for each run that failed or did only part of its work. The message names the workflow and the node, the reason, a link to the execution, and the service's status page. Almost all examples end with an error if anything failed, so partial failures are reported too.

**Change these**
1. *Message*: enter your service's status page, and change the text as you like.
2. *Send Message*: replace this node with your node for Slack, Teams or email. The text to send is \`{{ $json.text }}\`. In the demo, the local service stores the message as a file.
3. Publish this workflow. Otherwise n8n does not call it.
4. In the settings of each workflow that you want to watch, choose **Tell Me** as *Error Workflow*.

n8n calls **Tell Me** only for published workflows. It does not do so when you click *Execute workflow*, or for a run that you stop. If n8n itself is killed, n8n reports the run when it starts again.

*Close the Row* notes the failure in the data table **Sync Runs** if the run could not. *Every Morning* reads the data table **Sync Runs**, and names the syncs whose next run is overdue. Other scheduled workflows that never start are not reported.`,
			[-500, -280],
			[420, 640],
			7,
		),
		node('Run Failed', 'errorTrigger', 1, [0, 0], {}),
		code('Message', 'message', [220, 0], {
			failure: '$input.first().json',
			statusPage: "'https://status.lucidworks.com'",
		}),
		...closeRow([220, 180]),
		node('Every Morning', 'scheduleTrigger', 1.2, [-440, 440], {
			rule: { interval: [{ triggerAtHour: 8 }] },
		}),
		runsTable([-220, 440]),
		allRuns([0, 440]),
		code('Late Syncs', 'late-syncs', [220, 440], {
			rows: "$('All Runs').all().map(({ json }) => json)",
			now: 'new Date()',
			timeZone: '$now.zoneName',
		}),
		node('Send Message', 'httpRequest', 4.4, [440, 0], {
			method: 'PUT',
			url: 'http://localhost:4321/files/tell-me.json',
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '={{ { text: $json.text } }}',
			options: {},
		}),
	],
	[
		['Run Failed', 'Message', 'Send Message'],
		['Run Failed', 'History', 'Close the Row'],
		['Every Morning', 'Runs Table', 'All Runs', 'Late Syncs', 'Send Message'],
	],
);
