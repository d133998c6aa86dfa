import { pathOf } from '../routing/match-route.ts';
import type { DescribedAnswer } from './described-addresses.ts';

export type FoundKind = DescribedAnswer<'/understudy/v1/search', 'GET'>['kinds'][number];
export type SearchKind = FoundKind['kind'];
type SearchResult = FoundKind['results'][number];

/** The headings of results. */
export const KIND_TITLES: Readonly<Record<SearchKind, string>> = {
  nodes: 'Nodes',
  classes: 'Classes',
  resources: 'Resources',
  files: 'Files',
  keys: 'Hiera keys',
  facts: 'Facts',
  jobs: 'Jobs',
  users: 'Users',
};

/** The path of the page about a result. */
export function linkOf(kind: SearchKind, { name, environment }: SearchResult): string {
  switch (kind) {
    case 'nodes':
      return pathOf('nodes', name);
    case 'classes':
      return nodesWith('Class', titleOfClass(name));
    case 'resources': {
      const [, type = '', title = ''] = /^([^[]+)\[(.*)\]$/s.exec(name) ?? [];
      return nodesWith(type, title);
    }
    case 'files':
      return name.endsWith('.pp')
        ? nodesOf(`resources[certname] { file ~ ${quote(`/${escapeDots(name)}$`)} }`)
        : fileOf(name, environment);
    case 'keys':
      return keyReadersPath(environment ?? 'production', name);
    case 'facts':
      return `/facts?path=${encodeURIComponent(name)}`;
    case 'jobs':
      return pathOf('jobs', name);
    case 'users':
      return '/access';
  }
}

/** The path of the page with the readers of a key of Hiera. */
function keyReadersPath(environment: string, key: string): string {
  return `${pathOf('code', 'keys', environment)}?key=${encodeURIComponent(key)}`;
}

/** A file that makes no resources: its text. */
function fileOf(path: string, environment: string | null): string {
  return environment === null ? '/code' : `${pathOf('code', 'file', environment)}?${new URLSearchParams({ path })}`;
}

function nodesWith(type: string, title: string): string {
  return nodesOf(`resources[certname] { type = ${quote(type)} and title = ${quote(title)} }`);
}

function nodesOf(pql: string): string {
  return `/nodes?query=${encodeURIComponent(pql)}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function escapeDots(text: string): string {
  return text.replaceAll('.', '\\.');
}

/** Titles of classes are written in capitals: `Apache::Vhost`. */
function titleOfClass(name: string): string {
  return name.replace(/(^|::)([a-z])/g, (_, before: string, letter: string) => `${before}${letter.toUpperCase()}`);
}
