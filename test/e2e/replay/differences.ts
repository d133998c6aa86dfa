import type { ReplayRequest } from './asking.ts';

/**
 * Requests that we answer differently from Puppet Server on purpose, and why. What is not listed
 * must be answered alike.
 */
export interface KnownDifference {
  readonly reason: string;
  readonly covers: (request: ReplayRequest) => boolean;
}

function url(pattern: RegExp, methods: readonly string[] = ['GET']) {
  return ({ method, url: asked }: ReplayRequest) => methods.includes(method) && pattern.test(asked);
}

function accepts(format: string) {
  return ({ headers }: ReplayRequest) => headers?.Accept === format;
}

export const DIFFERENCES: readonly KnownDifference[] = [
  {
    reason: 'bytes that are no UTF-8 are refused; Jetty takes them for Latin-1, and no such file is found',
    covers: url(/%ff/),
  },
  {
    reason: 'of a parameter that stands twice where one is meant, the first counts; Ruby stumbles over the list (500)',
    covers: url(/links=manage&links=follow|environment=production&environment=staging/),
  },
  {
    reason: 'a missing Accept header means any format; Puppet answers 400',
    covers: (request) => accepts('')(request) && !request.url.endsWith('/environments'),
  },
  {
    reason: 'no YAML: it names Ruby classes, which no agent since Puppet 4 wants to read',
    covers: (request) => accepts('text/yaml')(request) && /file_metadata|node/.test(request.url),
  },
  {
    reason: 'file_content without an environment: we say which Puppet it is (X-Puppet-Version)',
    covers: url(/file_content\/[^?]*$/),
  },
  {
    reason: 'a range of a file is sent as asked for; Puppet sends the whole file',
    covers: ({ headers }) => headers?.Range !== undefined,
  },
  {
    reason: 'the file bucket goes by digest; from where a file came is not kept, so a path is not asked for either',
    covers: url(/file_bucket_file\/.*\/tmp\/elsewhere/, ['GET', 'HEAD']),
  },
  {
    reason: 'the file bucket takes all kinds of digests, not only the one that the server has set',
    covers: url(/file_bucket_file\/md5/, ['GET', 'PUT']),
  },
  {
    reason: 'the file bucket refuses a file that has not the digest of its path; Puppet keeps it under another',
    covers: url(/file_bucket_file\/sha256\/0{64}\/tmp\/wrong/, ['PUT']),
  },
  {
    reason: 'bucket files that are compared are named by their digests; one that is not there is said not to be (404)',
    covers: url(/diff_with=/),
  },
  {
    reason: 'environment_transports of an environment that is not there: 404 as all others, not an exception of JRuby',
    covers: url(/environment_transports\?environment=nosuch/),
  },
  {
    reason: 'HEAD is answered wherever GET is; Puppet Server knows it for the file bucket only',
    covers: url(/^\/puppet\/v3\/(environments|file_content|file_metadata)/, ['HEAD']),
  },
  {
    reason: 'clients without a certificate do not learn which paths of /puppet do not exist',
    covers: ({ who, url: asked }) => who === null && asked === '/puppet/v3/nosuch',
  },
  {
    reason: 'what storing facts answers is a value of the store behind it, which nobody reads',
    covers: ({ method, url: asked, body, headers }) =>
      method === 'PUT' &&
      asked === '/puppet/v3/facts/web01.example.com?environment=production' &&
      headers?.['Content-Type'] === 'application/json' &&
      body !== 'notjson',
  },
  {
    reason: 'what is no certificate request is refused (400); Puppet Server fails on it',
    covers: url(/certificate_request\/csr/, ['PUT']),
  },
  {
    reason: "a catalog of no name is nobody's: not there, instead of forbidden",
    covers: url(/\/catalog\/\?/),
  },
  {
    reason: 'there is no JRuby to dump the threads of',
    covers: url(/jruby-pool\/thread-dump/),
  },
  {
    reason: 'of two executables of a task, which one is named is up to the order in which a folder is read',
    covers: url(/tasks\/alpha\/two/),
  },
];
