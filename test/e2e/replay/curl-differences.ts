/** What of the recorded requests we answer differently on purpose, and why. */
export interface CurlDifference {
  readonly reason: string;
  /** Each the end of a recording's title. */
  readonly titles: readonly string[];
  /**
   * What of a body is the same for all that, and with it status and headers; nothing when this is
   * not there.
   */
  readonly same?: (body: unknown) => unknown;
}

export const CURL_DIFFERENCES: readonly CurlDifference[] = [
  {
    reason: 'there is neither a pool of JRubies nor a profiler of Ruby calls',
    titles: ['/status/v1/services', '/status/v1/services?level=critical'],
    same: without('jruby-metrics', 'puppet-profiler'),
  },
  {
    reason: 'level=debug tells the figures of our queue and catalogs, not those of JRubies',
    titles: ['/status/v1/services?level=debug', '/status/v1/services/master?level=debug'],
    same: without('jruby-metrics', 'puppet-profiler', 'experimental'),
  },
  {
    reason: 'there is neither a pool of JRubies nor a profiler of Ruby calls to ask for by name',
    titles: ['/services/jruby-metrics?level=debug', '/services/puppet-profiler', '/jruby-pool/thread-dump'],
  },
  {
    reason: 'that server had no command for code of old versions; we always have it, and none for this code id',
    titles: ['/static_file_content/site/profile/files/source.txt?environment=production&code_id=abc'],
  },
  {
    reason: 'there is no Java machine to tell figures of; those of ours are below the name understudy',
    titles: ['/metrics/v2/list/java.lang', '/metrics/v2/read/java.lang:type=Memory'],
  },
  {
    reason: 'the log is that of the compile, without what Facter says of the server to itself',
    titles: [
      'CN=admin.example.com POST /puppet/v4/catalog -H Content-Type:application/json --data-binary @rec/v4.json',
    ],
    same: without('logs'),
  },
  {
    reason: 'failures are told without the class of a Java exception',
    titles: ['--data-binary @rec/v4-broken.json'],
    same: (body) => String(body).replace(/org\.jruby\.exceptions\.RuntimeError: \(\w+\) /, ''),
  },
  {
    reason: 'failures are told without the class of a Java exception and without a folder, which there is none of',
    titles: ['--data-binary @rec/v4-badenv.json'],
    same: (body) =>
      String(body).replace(/org\.jruby\.exceptions\.RuntimeError: \(\w+\) |( anywhere in the path: .*)$/g, ''),
  },
  {
    reason: 'what is wrong with the JSON is told in other words than those of a Java library',
    titles: ['--data notjson'],
    same: (body) => String(body).replace(/^(Error parsing JSON: ).*$/s, '$1'),
  },
  {
    reason: 'there are no compiles of a syntax tree in place of code, which only a plan executor sends',
    titles: ['POST /puppet/v3/compile'],
  },
];

function without(...names: readonly string[]): (body: unknown) => unknown {
  return (body) => JSON.parse(JSON.stringify(body, (key, value) => (names.includes(key) ? undefined : value)));
}
