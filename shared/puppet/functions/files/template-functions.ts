import type { Environment } from '../../environment/environment.ts';
import { readLenient, readUtf8 } from '../../environment/utf8-text.ts';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { type BytesText, joinRubyTexts } from '../../types/values/bytes-text.ts';
import type { Value } from '../../types/values/values.ts';
import { implicitString } from '../support/conversion.ts';
import { pathInModule } from '../support/module-files.ts';
import { renderErb, requireErb } from '../support/ruby-template.ts';
import { parseTemplate, parseTemplateFile, renderTemplate } from '../support/template-program.ts';

function renderEppFile(site: CallSite, reference: string, parameters: Value): Value {
  const { environment } = site.context;
  const exact = reference.startsWith('/') && environment.kindOf(reference) !== null;
  const name = exact || /\.epp$/m.test(reference) ? reference : `${reference}.epp`;
  const path = pathInModule(environment, name, 'templates');
  const source = path === null ? null : readUtf8(environment, path);
  if (path === null || source === null) throw new PuppetError(ISSUES.TEMPLATE_NOT_FOUND({ name }));
  const program = parseTemplateFile(site, 'epp', path, source);
  return site.scope.withGlobalScope((scope) => renderTemplate(site, 'epp', program, scope, parameters));
}

function renderFile(site: CallSite, reference: string): string | BytesText {
  const { environment } = site.context;
  const path = pathInModule(environment, reference, 'templates');
  const text = path === null ? null : readTemplate(environment, path, reference);
  if (path === null || text === null) return refuseMissing(site, reference);
  if (typeof text !== 'string' && !text.text.includes('<%')) return text;
  // A text that is not valid goes to Ruby with its bytes escaped.
  const source = { path, text: typeof text === 'string' ? text : text.text };
  return renderErb(site, source, reference, ({ detail, file, line }) =>
    printFailure(reference, file ?? path, line, detail),
  );
}

function readTemplate(environment: Environment, path: string, reference: string): string | BytesText | null {
  try {
    return readLenient(environment, path);
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    throw new PuppetError(printFailure(reference, READER.file, READER.line, error.basic));
  }
}

// Puppet: an absolute path is read without a look whether it exists, lib/puppet/parser/files.rb
function refuseMissing({ context }: CallSite, reference: string): never {
  const isRead = reference.startsWith('/') && context.environment.kindOf(reference) === null;
  if (!isRead) throw new PuppetError(ISSUES.TEMPLATE_NOT_FOUND({ name: reference }));
  // Ruby: File.open
  const detail = `No such file or directory @ rb_sysopen - ${reference}`;
  throw new PuppetError(printFailure(reference, READER.file, READER.line, detail));
}

/** The place where Puppet reads files, in the packages of Puppet 8.10. */
const READER = {
  file: '/opt/puppetlabs/puppet/lib/ruby/vendor_ruby/puppet/file_system/file_impl.rb',
  line: 84,
} as const;

function printFailure(reference: string, file: string, line: number | null, detail: string): string {
  const lines = [
    `Failed to parse template ${reference}:`,
    `  Filepath: ${file}`,
    `  Line: ${line ?? ''}`,
    `  Detail: ${detail}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Renders ERB templates given as text. Follows lib/puppet/parser/functions/inline_template.rb. */

/** Ruby's file name for a template without a file. */
const NO_FILE = '(erb)';

/** The functions that render EPP and ERB templates. */
export const TEMPLATE_FUNCTIONS: readonly PuppetFunction[] = [
  /** Renders a module's template file in the node's scope or top scope. */
  defineFunction('epp', {
    params: ['String path', '?Hash[Pattern[/^\\w+$/], Any] parameters'],
    returns: 'Variant[String, Sensitive[String]]',
    body: (site, [reference, parameters = null]) => renderEppFile(site, String(reference), parameters),
  }),
  /** Renders a template text in the calling scope. */
  defineFunction('inline_epp', {
    params: ['String template', '?Hash[Pattern[/^\\w+$/], Any] parameters'],
    returns: 'Variant[String, Sensitive[String]]',
    body: (site, [source, parameters = null]) => {
      const program = parseTemplate(site, 'inline_epp', 'inlined-epp-text', String(source));
      return renderTemplate(site, 'inline_epp', program, site.scope, parameters);
    },
  }),
  /** Renders a module's ERB templates. Follows lib/puppet/parser/functions/template.rb. */
  defineLegacyFunction('template', {
    arity: -2,
    rvalue: true,
    body: (site, args) => {
      requireErb(site, 'ERB template');
      return joinRubyTexts(args.map((arg) => renderFile(site, implicitString(arg))));
    },
  }),
  defineLegacyFunction('inline_template', {
    arity: -2,
    rvalue: true,
    body: (site, args) => {
      requireErb(site, 'ERB inline_template');
      const rendered = args.map((arg) =>
        renderErb(
          site,
          { path: NO_FILE, text: implicitString(arg) },
          'the text given to inline_template()',
          ({ detail }) => `Failed to parse inline template: ${detail}`,
        ),
      );
      return joinRubyTexts(rendered);
    },
  }),
];
