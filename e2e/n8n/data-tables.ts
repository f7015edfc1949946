import type { N8nConnection } from './connection';

interface DataTable {
	id: string;
	name: string;
	projectId: string;
}

/** n8n returns at most this many rows at once. */
const ROWS_PER_PAGE = 100;

export type Row = Record<string, unknown>;

export class DataTables {
	constructor(private readonly n8n: N8nConnection) {}

	/** Creates an empty table with text columns, unless a table with exactly this name exists. */
	async create(name: string, columns: string[]): Promise<void> {
		if (await this.find(name)) return;
		const { id } = await this.n8n.request<{ id: string }>({ url: '/rest/projects/personal' });
		await this.n8n.request({
			method: 'POST',
			url: `/rest/projects/${id}/data-tables`,
			data: { name, columns: columns.map((column) => ({ name: column, type: 'string' })) },
		});
	}

	/** Returns all rows of a table, the oldest first. Returns an empty list if the table does not exist. */
	async rows(name: string): Promise<Row[]> {
		const table = await this.find(name);
		const rows: Row[] = [];
		while (table) {
			const page = `take=${ROWS_PER_PAGE}&skip=${rows.length}&sortBy=id:asc`;
			const url = `${urlOf(table)}/rows?${page}`;
			const { data } = await this.n8n.request<{ data: Row[] }>({ url });
			rows.push(...data);
			if (data.length < ROWS_PER_PAGE) break;
		}
		return rows;
	}

	async insert(name: string, rows: Row[]): Promise<void> {
		const table = await this.find(name);
		if (!table) throw new Error(`n8n has no data table '${name}'`);
		await this.n8n.request({
			method: 'POST',
			url: `${urlOf(table)}/insert`,
			data: { data: rows, returnType: 'id' },
		});
	}

	async deleteWith(name: string, column: string): Promise<void> {
		const table = await this.find(name);
		if (!table) return;
		const filters = [{ columnName: column, condition: 'isNotEmpty', value: null }];
		const filter = encodeURIComponent(JSON.stringify({ type: 'and', filters }));
		const url = `${urlOf(table)}/rows?filter=${filter}`;
		await this.n8n.request({ method: 'DELETE', url });
	}

	/** Returns the names of all tables. */
	async names(): Promise<string[]> {
		return (await this.all()).map(({ name }) => name).sort();
	}

	private async find(name: string): Promise<DataTable | undefined> {
		return (await this.all()).find((table) => table.name === name);
	}

	private async all(): Promise<DataTable[]> {
		const { data } = await this.n8n.request<{ data: DataTable[] }>({
			url: '/rest/data-tables-global',
		});
		return data;
	}
}

const urlOf = ({ id, projectId }: DataTable) => `/rest/projects/${projectId}/data-tables/${id}`;
