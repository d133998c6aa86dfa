import { withoutComments } from '../ruby-code.ts';

/** First words of `newtype` statements that declare only what they name. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['newparam', 'newproperty', 'ensurable', 'autorequire', 'autobefore', 'autosubscribe', 'autonotify', 'feature'],
  ...['validate', 'desc', 'def', 'private', 'public', 'protected', 'attr_reader', 'attr_accessor', 'attr_writer'],
  ...['apply_to_all', 'apply_to_device', 'apply_to_host'],
]);
const HEREDOC = /<<[~-]?(['"]?)([A-Z]\w*)\1([^\n]*)\n[\s\S]*?^[ \t]*\2\b/gm;
const LITERAL_ATTRIBUTE = /^new(?:param|property)[ (]*(?::\w+|:?'\w+'|:?"\w+")/;
const PUPPET_MIXIN = /^(?:include|extend)[ (]+Puppet::/;
const EMPTY_DEFAULT = /^[ \t]*defaultto[ \t]*(?:nil|\([ \t]*(?:nil)?[ \t]*\))?[ \t]*$/m;
const NEWTYPE = /^([ \t]*)Puppet::Type\.newtype[ (]+:'?(\w+)/gm;

/**
 * Whether a definition's text describes the type completely: one `Puppet::Type.newtype` block that
 * declares attributes by name, one by one. A definition with loops, conditions, methods of other
 * modules or code around the block must be run by Ruby.
 */
export function isPlainTypeDefinition(name: string, source: string): boolean {
  const code = withoutComments(source).replace(HEREDOC, "''$3");
  const [newtype, ...others] = code.matchAll(NEWTYPE);
  if (!newtype || others.length > 0 || newtype[2] !== name) return false;
  const [, indent = ''] = newtype;
  const lines = code.slice(newtype.index).split('\n');
  const end = lines.indexOf(`${indent}end`);
  if (end < 0 || !isInert(code.slice(0, newtype.index)) || !isInert(lines.slice(end + 1).join('\n'))) return false;
  return (
    isPlainBlock(lines.slice(1, end)) && hasPlainTitles(code) && !isEnsurableByMethods(code) && !hasEmptyDefault(code)
  );
}

/** Whether an attribute has a default without a value and without a block, which Puppet refuses. */
export function hasEmptyDefault(code: string): boolean {
  return EMPTY_DEFAULT.test(code);
}

/** Whether code outside the block only loads and documents. It must not change the type. */
function isInert(code: string): boolean {
  const lines = code.split('\n').filter((line) => line.trim() !== '');
  return lines.every((line) => /^\s*(?:require(?:_relative)?\b|["'.)]|File\.|# )/.test(line));
}

function isPlainBlock(lines: readonly string[]): boolean {
  const written = lines.filter((line) => line.trim() !== '');
  const level = Math.min(...written.map(measureIndentation));
  const declares = /^\s*(?:newparam|newproperty|ensurable|provide|new\w+)\b/;
  return written.every((line) => {
    if (measureIndentation(line) === level) return isPlainStatement(line.trim());
    return !declares.test(line) || /^\s*newvalues?\b/.test(line);
  });
}

function isPlainStatement(line: string): boolean {
  if (/^(?:end\b|[)\]}"'.]|@\w+\s*=|[A-Z]\w*\s*=)/.test(line) || PUPPET_MIXIN.test(line)) return true;
  const word = /^\w+/.exec(line)?.[0] ?? '';
  if (word === 'newparam' || word === 'newproperty') return LITERAL_ATTRIBUTE.test(line);
  return KNOWN.has(word) && !/^def self\.(?:new|isomorphic|key_attr|parameters|properties|valid)/.test(line);
}

function measureIndentation(line: string): number {
  return line.length - line.trimStart().length;
}

/**
 * Whether title patterns are plain. Patterns made of local variables, methods or lambdas must be
 * read by Ruby.
 */
function hasPlainTitles(code: string): boolean {
  const start = code.search(/\btitle_patterns\b/);
  if (start < 0) return true;
  const [body = ''] = code.slice(start).split(/^ {0,2}end\b/m);
  return /^title_patterns\s*\[/.test(body) && !/#\{|\blambda\b|\bproc\b|->/i.test(body);
}

// Puppet: a type with these three methods has the property `ensure` (Puppet::Type.ensurable?).
function isEnsurableByMethods(code: string): boolean {
  return ['exists\\?', 'create', 'destroy'].every((method) => new RegExp(`\\bdef ${method}(?!\\w)`).test(code));
}
