import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { RubyPort } from '../../../../shared/puppet/evaluator/ruby-port.ts';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-thread-'));
afterAll(() => rmSync(folder, { recursive: true }));

function moduleOf(name: string, text: string): URL {
  const file = join(folder, name);
  writeFileSync(file, text);
  return pathToFileURL(file);
}

/** With the address of the module as `MODULE`. */
function failureOf(ruby: RubyPort & { close(): void }, module: URL): string {
  try {
    ruby.checkTemplate({ path: 'a.erb', text: 'a' });
    return 'none';
  } catch (error) {
    return String(error).replaceAll(module.href, 'MODULE');
  } finally {
    ruby.close();
  }
}

describe.each([
  ['WebAssembly', (threadModule: URL) => createWasmRuby({ threadModule })],
  ['a process', (threadModule: URL) => createProcessRuby({ threadModule })],
])('the thread of Ruby in %s tells why it ended', (_, create) => {
  it.each([
    [
      'imports what is not there',
      "import 'node:nothing';\n",
      'Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:nothing',
    ],
    ['has a mistake in its syntax', 'const = 1;\n', "SyntaxError: Unexpected token '='"],
    ['throws at its start', "throw new RangeError('no room');\n", 'RangeError: no room'],
    ['throws later', "setTimeout(() => { throw new RangeError('no room'); });\n", 'RangeError: no room'],
  ])('when its module %s', (what, text, cause) => {
    const module = moduleOf(`${what.replaceAll(' ', '-')}.mjs`, text);
    expect(failureOf(create(module), module)).toBe(
      `MachineryFault: Ruby was stopped in a.erb: its thread ended: ${cause} (MODULE)`,
    );
  });
});
