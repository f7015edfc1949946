import { Agent } from 'node:http';

import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import axios from 'axios';

export interface Login {
	email: string;
	password: string;
}

export class N8nConnection {
	private readonly http: AxiosInstance;

	private cookie = '';

	constructor(url: string) {
		this.http = axios.create({
			baseURL: url,
			proxy: false,
			validateStatus: () => true,
			// After n8n has been blocked for a long time, it closes all kept-alive connections, even recently used
			// ones.
			httpAgent: new Agent({ keepAlive: false }),
		});
	}

	/** Returns true once n8n answers and its database is ready. */
	async isReady(): Promise<boolean> {
		try {
			const health = await this.http.get('/healthz/readiness');
			const settings = await this.http.get('/rest/settings');
			return (
				health.status === 200 && settings.status === 200 && 'data' in Object(settings.data)
			);
		} catch {
			return false;
		}
	}

	/**
	 * Logs in. On a new instance, creates the owner first.
	 * @throws Error if n8n rejects the login
	 */
	async logIn(account: Login): Promise<void> {
		const owner = { ...account, firstName: 'Demo', lastName: 'Owner' };
		const login = { emailOrLdapLoginId: account.email, password: account.password };
		const settings = await this.request<{ userManagement: { showSetupOnFirstLoad: boolean } }>({
			url: '/rest/settings',
		});
		const isNew = settings.userManagement.showSetupOnFirstLoad;
		const response = await this.http.post(
			isNew ? '/rest/owner/setup' : '/rest/login',
			isNew ? owner : login,
		);
		const cookies = response.headers['set-cookie'] ?? [];
		this.cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ');
		if (response.status !== 200 || this.cookie === '') {
			throw new Error(
				`n8n refused the login: ${response.status} ${JSON.stringify(response.data)}`,
			);
		}
	}

	/** Calls a webhook without being logged in. Returns the response, whatever its status. */
	async post(
		url: string,
		body: unknown,
		headers: Record<string, string>,
	): Promise<{ status: number; body: unknown }> {
		const { status, data } = await this.http.post<unknown>(url, body, {
			headers,
			maxBodyLength: Infinity,
		});
		return { status, body: data };
	}

	/**
	 * Sends a request to the editor's API and returns the `data` of the response.
	 * @throws Error for a status of 400 or above
	 */
	async request<T>(config: AxiosRequestConfig): Promise<T> {
		return (await this.send<{ data: T }>(config)).data;
	}

	/**
	 * Sends a request and returns the whole response body.
	 * @throws Error for a status of 400 or above
	 */
	async send<T>(config: AxiosRequestConfig): Promise<T> {
		const response = await this.http.request<T>({
			...config,
			headers: { cookie: this.cookie },
		});
		if (response.status >= 400) {
			const what = `${config.method ?? 'GET'} ${config.url ?? ''}`;
			throw new Error(
				`n8n answered ${response.status} to ${what}: ${JSON.stringify(response.data)}`,
			);
		}
		return response.data;
	}
}
