import type { Cases } from './runs';
import { checkPlan, inTurn, plannedIn, readExample, SHOW_PLAN } from './runs';
import type { SourcesStage } from './stage';

interface Document {
	id: string;
	name: string;
	text: string;
}

const document = (example: string, number: number, text = `Text ${number}`): Document => ({
	id: `${example}/${number}`,
	name: `Number ${number}`,
	text: `# ${text}`,
});

/** Returns the cases of an example that a caller sends its list to. */
export const calledCases = (example: string): Cases =>
	inTurn(async (stage) => await CalledCases.start(stage, example), {
		'a plan, then the run': async (cases) => await cases.plans(),
		'a plan that cannot be made': async (cases) => await cases.refusals(),
		'executed by hand': async (cases) => await cases.byHand(),
	});

class CalledCases {
	private constructor(
		private readonly stage: SourcesStage,
		private readonly example: string,
		private readonly id: string,
	) {}

	static async start(stage: SourcesStage, example: string): Promise<CalledCases> {
		return new CalledCases(stage, example, await stage.publish(readExample(example)));
	}

	async plans(): Promise<void> {
		const list = Array.from({ length: 20 }, (_, at) => document(this.example, at));
		await this.planAndRun('of a first list', list, 'new 20', 'pushed 20');
		await this.planAndRun('of the same list', list, 'unchanged 20', 'unchanged 20');
		const changed = [
			document(this.example, 1, 'Other words'),
			...list.slice(2),
			document(this.example, 20),
		];
		await this.planAndRun(
			'of a changed list',
			changed,
			'new 1, changed 1, missing 1, unchanged 18',
			'pushed 2, deleted 1, unchanged 18',
		);
		await this.planAndRun(
			'of a short list',
			changed.slice(0, 3),
			'missing 17, unchanged 3, withheld 17',
			'unchanged 3, withheld 17',
		);
		await this.planAndRun(
			'with an approval',
			changed.slice(0, 3),
			'missing 17, unchanged 3',
			'deleted 17, unchanged 3',
			{ confirmDeletes: 17 },
		);
	}

	async refusals(): Promise<void> {
		const bodies: Array<[body: object, error: string]> = [
			[{}, 'there is no list'],
			[{ documents: [{ name: 'A' }] }, 'document 1 of 1 in the list has no ID'],
		];
		for (const [body, error] of bodies) {
			const plan = await this.plan(`of ${JSON.stringify(body)}`, body, '');
			this.stage.checks.add(
				`${this.example}, the plan says: ${error}`,
				plan.status === 400 && String(plan.error).includes(error),
				JSON.stringify(plan),
			);
		}
	}

	/** Both triggers have pinned samples, and neither of them pushes those. */
	async byHand(): Promise<void> {
		const before = this.stage.sandbox.requests.length;
		for (const trigger of [SHOW_PLAN, 'List Arrives']) {
			const { api } = this.stage.n8n;
			const execution = await api.runManually(this.id, trigger);
			const [{ json = {} } = {}] = execution.items('Plan');
			const seen = `${execution.status}, ${plannedIn(json)}`;
			this.stage.checks.add(
				`${this.example}: '${trigger}' by hand shows the plan of the samples`,
				/^success, new [23], missing 3$/.test(seen),
				`${seen}; ${execution.message ?? ''}`,
			);
		}
		const requests = this.stage.sandbox.requests.length - before;
		this.stage.checks.add(
			`${this.example}: by hand, nothing is sent`,
			requests === 0,
			String(requests),
		);
	}

	private async planAndRun(
		when: string,
		documents: Document[],
		planned: string,
		counted: string,
		more: object = {},
	): Promise<void> {
		await this.plan(when, { documents, ...more }, planned);
		const { body } = await this.stage.call(this.example, { documents, ...more });
		const answer = Object(body) as Record<string, unknown>;
		const seen = ['pushed', 'deleted', 'unchanged', 'withheld', 'unreadable', 'failed']
			.filter((name) => answer[name])
			.map((name) => `${name} ${String(answer[name])}`)
			.join(', ');
		this.stage.checks.add(
			`${this.example}, the run ${when}: ${counted}`,
			seen === counted,
			JSON.stringify(body),
		);
	}

	private async plan(
		when: string,
		body: object,
		expected: string,
	): Promise<Record<string, unknown>> {
		return await checkPlan(
			this.stage,
			{ id: this.id, name: this.example },
			when,
			expected,
			async () => {
				const answer = await this.stage.call(this.example, { ...body, dryRun: true });
				return Object(answer.body) as Record<string, unknown>;
			},
		);
	}
}
