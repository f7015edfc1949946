import type { ICredentialType } from 'n8n-workflow';

import { LucidworksAiOAuth2Api } from '../../credentials/LucidworksAiOAuth2Api.credentials';
import { LucidworksPushApi } from '../../credentials/LucidworksPushApi.credentials';
import { PATHS } from '../../nodes/shared/service/url';
import type { Sandbox } from '../../sandbox';
import { DEMO } from '../../sandbox';
import type { CredentialValues } from '../n8n/workflow';
import type { Postgres } from './postgres';
import type { SftpLogin } from './sftp';

export const STATUS_LOGIN = { user: 'demo', password: 'demo-status-password' };

export const WEBHOOK_HEADER = { name: 'X-Webhook-Key', value: 'demo-webhook-key' };

interface CredentialByHand {
	title: string;
	fields: Array<[label: string, value: string]>;
}

/** Returns the two credentials that a new user creates, with the values for the running sandbox. */
export function credentialsByHand(sandbox: Sandbox): CredentialByHand[] {
	const { authUrl, aiUrl, pushUrl } = sandbox.urls;
	const of = (credential: ICredentialType, values: Record<string, string>) => ({
		title: credential.displayName,
		fields: credential.properties.flatMap(({ name, displayName }): Array<[string, string]> => {
			const value = values[name];
			return value === undefined ? [] : [[displayName, value]];
		}),
	});
	return [
		of(new LucidworksAiOAuth2Api(), {
			aiUrl,
			clientId: DEMO.clientId,
			clientSecret: DEMO.clientSecret,
			authUrl,
			authorizationServerId: DEMO.authServerId,
		}),
		of(new LucidworksPushApi(), {
			pushUrl: `${pushUrl}${PATHS.push}/${DEMO.endpoint}`,
			endpoint: `(leave it empty: it is ${DEMO.endpoint}, the last part of the URL)`,
			apiKey: DEMO.pushKey,
		}),
	];
}

/**
 * Returns the credentials that the example workflows use, with the values for the running sandbox.
 * @param chatModelUrl URL of the stand-in for a chat model, if there is one
 */
export function demoCredentials(
	sandbox: Sandbox,
	chatModelUrl?: string,
): Array<Omit<CredentialValues, 'id'>> {
	const { authUrl, aiUrl, pushUrl, baseUrl } = sandbox.urls;
	const aiService = (name: string, scope: string) => ({
		name,
		type: 'lucidworksAiOAuth2Api',
		data: {
			authUrl,
			authorizationServerId: DEMO.authServerId,
			clientId: DEMO.clientId,
			clientSecret: DEMO.clientSecret,
			aiUrl,
			scope,
		},
	});
	return [
		aiService('Demo AI Service', 'machinelearning.predict'),
		{
			name: 'Demo Push Endpoint',
			type: 'lucidworksPushApi',
			data: { pushUrl, endpoint: DEMO.endpoint, apiKey: DEMO.pushKey },
		},
		{
			name: 'Demo Blob Service',
			type: 'lucidworksBlobApi',
			data: { baseUrl, authentication: 'none' },
		},
		{ name: 'Demo Webhook', type: 'httpHeaderAuth', data: WEBHOOK_HEADER },
		{ name: 'Demo Status Page', type: 'httpBasicAuth', data: STATUS_LOGIN },
		postgresCredential({ host: 'localhost', port: 5432, database: 'postgres', user: 'n8n' }),
		driveCredential({ clientId: 'none', clientSecret: 'none' }),
		sftpCredential({ host: 'localhost', port: 22, username: 'n8n', privateKey: '' }),
		...(chatModelUrl === undefined
			? []
			: [
					{
						name: 'Demo Chat Model',
						type: 'openAiApi',
						data: { apiKey: 'none', url: chatModelUrl },
					},
				]),
	];
}

/** Returns the credential for a database that needs no password. */
export const postgresCredential = ({
	host,
	port,
	database,
	user,
}: Omit<Postgres, 'query'>): Omit<CredentialValues, 'id'> => ({
	name: 'Demo PostgreSQL',
	type: 'postgres',
	data: { ...{ host, port, database, user, password: '' }, ssl: 'disable', maxConnections: 100 },
});

export const sftpCredential = ({
	host,
	port,
	username,
	privateKey,
}: SftpLogin): Omit<CredentialValues, 'id'> => ({
	name: 'Demo SFTP',
	type: 'sftp',
	data: { host, port, username, privateKey },
});

/** OAuth needs a person who logs in, so this credential shows only its fields. */
const driveCredential = (data: Record<string, string>): Omit<CredentialValues, 'id'> => ({
	name: 'Demo Google Drive',
	type: 'googleDriveOAuth2Api',
	data,
});
