import { CREDENTIALS, isTrue, manualTrigger } from './parts/nodes';
import { node, note, workflow } from './parts/workflow';

export default workflow(
	'Rules with HTTP Request',
	[
		note(
			'Note',
			`## The credential in n8n's HTTP Request node

The AI Service credential also works in n8n's own **HTTP Request** node. Choose *Authentication: Predefined Credential Type*, then *Lucidworks AI OAuth2 API*. You can use it to call services for which this package has no node. This example gets the rules from a rules-and-rewrites service.

**Change these**
1. *Get Rules*: select a separate credential with the **Scope** *Commerce Studio Rules*, or *Merchandising Rules* if the token server returns \`invalid_scope\`. The HTTP Request node requests its token with the scope in the credential.
2. *Get Rules*: enter the URL of your service.
3. *Has a List* and *One Item per Rule*: enter the field that contains the list. If the response contains no such list, the run fails.`,
			[-480, -240],
			[400, 440],
			7,
		),
		manualTrigger('Run by Hand', [0, -60]),
		node(
			'Get Rules',
			'httpRequest',
			4.2,
			[220, -60],
			{
				url: 'http://localhost:4321/em-rules/rules',
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'lucidworksAiOAuth2Api',
				options: {},
			},
			{ credentials: CREDENTIALS.rules },
		),
		node('Has a List', 'if', 2.2, [440, -60], isTrue('={{ Array.isArray($json.rules) }}')),
		node('One Item per Rule', 'splitOut', 1, [660, -140], {
			fieldToSplitOut: 'rules',
			options: {},
		}),
		node('Fail the Run', 'stopAndError', 1, [660, 60], {
			errorMessage:
				"={{ `The response has no list 'rules', only ${JSON.stringify($json).slice(0, 200)}` }}",
		}),
	],
	[
		['Run by Hand', 'Get Rules', 'Has a List', 'One Item per Rule'],
		['Has a List|1', 'Fail the Run'],
	],
);
