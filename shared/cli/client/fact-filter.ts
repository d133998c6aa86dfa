import { ClientError } from './client-error.ts';

const OPERATORS: Readonly<Record<string, string>> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '=~': '~',
  '!~': '!~',
  '>=': '>=',
  '<=': '<=',
  '>': '>',
  '<': '<',
};
const FILTER = /^([^=!<>~\s]+)\s*(==|=~|!=|!~|>=|<=|=|>|<)\s*(.*)$/s;
const LITERAL = /^(true|false|-?(0|[1-9]\d*)(\.\d+)?)$/;

/**
 * Makes a query for the certnames of nodes whose facts pass all filters: `os.family=Debian`,
 * `processors.count>=4` or `kernelrelease=~^6`. Throws ClientError.
 */
export function makeFactQuery(filters: readonly string[]): readonly unknown[] {
  const conditions = filters.map(readFilter);
  const [only] = conditions;
  const condition = conditions.length === 1 ? only : ['and', ...conditions];
  return ['from', 'inventory', ['extract', ['certname'], condition]];
}

function readFilter(text: string): readonly unknown[] {
  const [, path = '', sign = '', value = ''] = FILTER.exec(text) ?? [];
  const operator = OPERATORS[sign];
  if (operator === undefined || path === '') {
    throw new ClientError(`'${text}' is not a filter of facts: NAME=VALUE, or with != =~ !~ > >= < <= in place of =`);
  }
  const field = `facts.${path}`;
  if (operator === '!=') return ['not', matchEqual(field, value)];
  if (operator === '!~') return ['not', ['~', field, value]];
  if (operator === '=') return matchEqual(field, value);
  if (operator === '~') return ['~', field, value];
  if (LITERAL.test(value) && !/^[tf]/.test(value)) return [operator, field, Number(value)];
  throw new ClientError(`'${text}' needs a number after ${sign}`);
}

/** A number or boolean is also found as text: facts may have either. */
function matchEqual(field: string, value: string): readonly unknown[] {
  const asText = ['=', field, value];
  return LITERAL.test(value) ? ['or', ['=', field, JSON.parse(value)], asText] : asText;
}
