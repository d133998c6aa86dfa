import { PURE_COMMANDS } from '../../puppet/commands/pure-command.ts';
import type { FindingVerdict } from './finding.ts';

/**
 * Something that Ruby code asks for and does not get, or gets in a different form than on a Puppet
 * Server.
 */
export interface RubyRisk {
  readonly verdict: Extract<FindingVerdict, 'differs' | 'fails'>;
  readonly reason: string;
  readonly line: number;
}

type Rule = readonly [pattern: RegExp, verdict: RubyRisk['verdict'], reason: string];

/** Adds `open` to addresses. */
const OPEN_URI = /\brequire[ (]+(['"])(open-uri)\1/;

const WRITES: Rule = [
  /\b(?:File|IO|Dir)\.(?:write|mkdir|unlink|delete|rename|symlink)\b|\bFileUtils\.\w+/,
  'fails',
  'writes files',
];
/** Whether code names the folders whose files are values in the store. */
const KEEPS_VALUES = /\bvardir\b|['"]\/opt\//;
const KEPT: Rule = [
  /\b(?:File|IO|Dir)\.(?:write|mkdir|unlink|delete|rename)\b|\bFileUtils\.\w+/,
  'differs',
  'keeps values on the server: they are in the store, by environment and name',
];
/** Commands that are computed, as code names them; of openssl, one part alone. */
const NAMES = [...PURE_COMMANDS.keys(), 'ssh-keygen'].map((name) =>
  name === 'openssl' ? `openssl['",\\s]+passwd` : name,
);
const COMPUTED = new RegExp(`['"\`/](?:${NAMES.join('|')})(?![\\w-])`);
/** Facts of the server that the Ruby of modules knows. */
const NAME_OF_SERVER = /\bFacter\.(?:value|fact)[ (]+[:'"](?:networking\.)?(?:fqdn|hostname|domain)\b['"]?\)?/g;

const RULES: readonly Rule[] = [
  [
    /\b(?:Net::(?:HTTP|FTP|SSH|SMTP)|TCPSocket|UDPSocket|UNIXSocket|OpenURI|URI\.open|Faraday|RestClient|HTTParty|Puppet::HTTP)\b/,
    'fails',
    'needs the network',
  ],
  [
    /\b(?:Resolv|Socket\.(?:gethost\w*|getaddrinfo)|IPSocket\.getaddress|Addrinfo\.\w+)\b/,
    'fails',
    'resolves names over the network',
  ],
  [
    /(?:^|[^\w.:@])(?:system|spawn|fork)[ (]+\S|(?:^|[=(\s])`[^`]+`|%x[({[|]|\bOpen3\.|\bIO\.popen\b|\bPuppet::Util::Execution\b|\bPuppet::Util\.execute\b/,
    'fails',
    'starts a process',
  ],
  [/\bFacter\s*(?:\.(?:value|fact)\b|\[)/, 'fails', "asks Facter for the server's own facts"],
  [
    /\bPuppet::(?:Indirector|FileServing|SSL|Network|Application|Face|Resource::Catalog\.indirection|Node\.indirection|Parser::AST)\b|\.known_resource_types\b|\bPuppet\.runtime\b/,
    'fails',
    'uses internals of Puppet that are not available',
  ],
  WRITES,
  [
    /\bPuppet(?:\.settings)?\[:(?:hostcert|hostprivkey|hostpubkey|localcacert|cacert|cakey|certdir|privatekeydir|publickeydir|ssldir)\]/,
    'fails',
    "asks for the server's own keys or certificates",
  ],
  [/\bTempfile\.(?:new|create|open)\b/, 'fails', 'writes files'],
  [
    /\b(?:File|IO|Dir|YAML|JSON)\.(?:(?:bin)?read\w*|open|foreach|exists?\?|file\?|directory\?|readable\?|size\??|stat|glob|children|entries|load_file|parse_file)\(?\s*['"]\/(?:etc|var|root|home|opt|usr|srv|proc|sys|tmp)\b/,
    'differs',
    'looks for files of the server: only those of the control repo are available',
  ],
  [/\bENV(?:\[|\.fetch)/, 'differs', 'reads environment variables: there are none'],
  [
    /\b(?:Time|Date|DateTime)\.(?:now|today)\b|\bSecureRandom\b|\bRandom\.(?:rand|new\b(?!\())|(?:^|[^\w.])rand(?:\(|\b)|\.(?:sample|shuffle)\b(?!\()/,
    'differs',
    'reads the clock or random numbers: its nodes are compiled at each check-in',
  ],
];

/**
 * Returns the worst risk of the code; null when none is found. `code` is Ruby, from a file or from
 * between the tags of a template.
 */
export function riskOf(code: string): RubyRisk | null {
  const lines = plainLines(code);
  const opens = riskOfOpenUri(code);
  if (opens !== null) return opens;
  const rules = KEEPS_VALUES.test(code) ? [KEPT, ...RULES.filter((rule) => rule !== WRITES)] : RULES;
  for (const verdict of ['fails', 'differs'] as const) {
    for (const [pattern, kind, reason] of rules) {
      if (kind !== verdict) continue;
      const line = lines.findIndex((text) => pattern.test(text));
      if (line >= 0)
        return { verdict, reason: `${reason} (${printExcerpt(lines[line] ?? '', pattern)})`, line: line + 1 };
    }
  }
  return null;
}

function riskOfOpenUri(code: string): RubyRisk | null {
  const line = plainLines(code, false).findIndex((text) => OPEN_URI.test(text));
  return line < 0 ? null : { verdict: 'fails', reason: 'needs the network (open-uri)', line: line + 1 };
}

/** Extracts the Ruby code between the tags of a template; each line keeps its number. */
export function codeOfTemplate(text: string): string {
  const code: string[] = [];
  let end = 0;
  for (const match of text.matchAll(/<%(?![%#])[-=]?([\s\S]*?)-?%>/g)) {
    code.push(text.slice(end, match.index).replace(/[^\n]/g, ''), `${match[1] ?? ''};`);
    end = match.index + match[0].length;
  }
  return code.join('');
}

/**
 * Returns the lines without comments and documentation strings, which may mention anything, and
 * without texts unless they are paths.
 */
export function plainLines(code: string, isWithoutTexts = true): string[] {
  const blank = (text: string): string => text.replace(/[^\n]/g, '');
  return code
    .replace(/^=begin\b[\s\S]*?^=end\b/gm, blank)
    .replace(/<<[~-]?(['"]?)([A-Z]\w*)\1[^\n]*\n[\s\S]*?^[ \t]*\2\b/gm, blank)
    .split('\n')
    .map((line) => (COMPUTED.test(line) ? '' : withoutQuotedTicks(line.replace(NAME_OF_SERVER, ''))))
    .map((line) => line.replace(/^\s*#.*|\s#\s.*$/g, ''))
    .map((line) => (isWithoutTexts ? line.replace(/(['"])(?!\/)(?:(?!\1|#\{).)*\1/g, '$1$1') : line));
}

/** Removes backquotes within a text: Markdown in messages. */
function withoutQuotedTicks(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"/g, (text) => text.replaceAll('`', ''));
}

function printExcerpt(line: string, pattern: RegExp): string {
  const text = (pattern.exec(line)?.[0] ?? line).replace(/^[^\w`]+|[[('"\s]+$/g, '');
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
