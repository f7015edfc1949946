/** @import { ApiPlace, Item } from '../parts/types' */

const { chosenFields } = require('./shared/fields');

/**
 * @param {{ api: string, site: string, fields?: unknown }} inputs
 * @returns {[Item<ApiPlace>]}
 */
module.exports = ({ api, site, fields }) => {
	// Where an API has its list. Change the row Example for your API, or add a row and enter its name in 'Settings'.
	//
	// - path: what follows the site. page: what follows the path, before the number of the page. The first page is firstPage.
	// - pages: place of the number of pages. next: place of the next page's address on the same site.
	// - list: place of the entries. total: place of the total number of entries.
	// - id, name, link, text: places in an entry.
	// - leaveOut: places in an entry, with commas between them. An entry is left out if one of them is true or not empty.
	//   With `=`, it is left out if the place has this value.
	// - isHtml: is the text HTML? isHtmlName: is the name HTML, such as `Caf&eacute;`?
	// - fields: names of fields, and their places in an entry. `*` stands for each entry of a list. 'Settings' says which of
	//   them are used. more: what replaces what in the path if any are used.
	/** @type {Record<string, Partial<ApiPlace> & { more?: [string, string] }>} */
	const table = {
		Example: {
			...{ path: '/files/articles', page: '?page=', firstPage: 1 },
			...{ list: 'body', total: '' },
			...{ id: 'key', name: 'title', link: 'link', text: 'body' },
			fields: { category: 'category', changed: 'updatedAt' },
		},
		// For posts, enter posts in place of pages.
		WordPress: {
			path: '/wp-json/wp/v2/pages?per_page=100&orderby=id&order=asc&_fields=id,title,link,content',
			...{ page: '&page=', firstPage: 1, pages: 'headers.x-wp-totalpages' },
			...{ list: 'body', total: 'headers.x-wp-total' },
			...{ id: 'id', name: 'title.rendered', link: 'link', text: 'content.rendered' },
			...{ isHtml: true, isHtmlName: true },
			fields: {
				...{
					labels: '_embedded.wp:term.*.*.name',
					section: 'type',
					changed: 'modified_gmt',
				},
				...{ language: 'lang', author: '_embedded.author.*.name' },
			},
			more: [
				'link,content',
				'link,content,type,lang,modified_gmt,_links,_embedded&_embed=wp:term,author',
			],
		},
		// Without a credential, or for one language, enter help_center/en-us in place of help_center. Articles that not
		// everybody may read have user segments. To index them, enter only draft in leaveOut.
		Zendesk: {
			path: '/api/v2/help_center/articles.json?per_page=100&sort_by=created_at&sort_order=asc',
			...{ page: '&page=', firstPage: 1, pages: 'body.page_count' },
			...{ list: 'body.articles', total: 'body.count' },
			...{ id: 'id', name: 'title', link: 'html_url', text: 'body' },
			leaveOut: 'draft, user_segment_id, user_segment_ids',
			isHtml: true,
			fields: {
				...{ labels: 'label_names', section: 'section_id', changed: 'edited_at' },
				...{ language: 'locale', author: 'author_id' },
			},
		},
		// In the cloud, the site ends with /wiki. For one space, enter type%3Dpage%20and%20space%3DDOCS. Personal spaces,
		// and pages that only some users or groups may read, are left out. To index them, leave leaveOut empty. Where only
		// some users may read a whole space, the API does not say so: name the other spaces in the path.
		Confluence: {
			path: '/rest/api/content/search?cql=type%3Dpage&expand=body.view,space,restrictions.read.restrictions.user,restrictions.read.restrictions.group&limit=50',
			...{ next: 'body._links.next', list: 'body.results' },
			...{ id: 'id', name: 'title', link: '_links.webui', text: 'body.view.value' },
			leaveOut:
				'space.type=personal, restrictions.read.restrictions.user.results, restrictions.read.restrictions.group.results',
			isHtml: true,
			fields: {
				...{ labels: 'metadata.labels.results.*.name', space: 'space.name' },
				...{ changed: 'version.when', author: 'version.by.displayName' },
			},
			more: ['body.view,space,', 'body.view,space,version,metadata.labels,'],
		},
	};
	const row = Object.entries(table).find(([name]) => name === api.trim())?.[1];
	if (!row) {
		throw new Error(
			`Nothing was changed: there is no API '${api}' in the node 'Where the List Is', only ${Object.keys(table).join(', ')}.`,
		);
	}
	const empty = { page: '', firstPage: 1, pages: '', next: '', total: '', leaveOut: '' };
	const places = { path: '', list: '', id: '', name: '', link: '', text: '' };
	const kinds = { isHtml: false, isHtmlName: false };
	const { more = ['', ''], ...others } = row;
	const chosen = /** @type {Record<string, string>} */ (chosenFields(row.fields ?? {}, fields));
	const isAny = Object.keys(chosen).length > 0;
	const path = isAny ? String(row.path).replace(more[0], more[1]) : String(row.path ?? '');
	const own = { path, fields: chosen, site: site.trim().replace(/\/+$/, '') };
	return [{ json: { ...empty, ...places, ...kinds, ...others, ...own } }];
};
