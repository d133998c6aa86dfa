import { posix } from 'node:path';

/**
 * Returns the text of the file that Ruby's `require` finds by that path (`puppet_x/thing/util`);
 * null when no module has it.
 */
export type RubyLibrary = (path: string) => string | null;

/** Removes comments that fill whole lines. */
export function withoutComments(source: string): string {
  return source
    .replace(/^=begin\b[\s\S]*?^=end\b.*$/gm, '')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n');
}

const REQUIRE = /\brequire(_relative)?[ (]+(['"])([\w./-]+)\2/g;
const REQUIRE_JOINED = /\brequire[ (]+File\.(?:expand_path|join)\(?[^'"]*((?:\s*['"][\w./-]+['"]\s*,?)+)/g;

/** Returns the module code that a file in a library folder requires, directly or indirectly. */
export function loadRequiredCode(source: string, library: RubyLibrary, folder = 'puppet/type'): string {
  const texts = new Map<string, string>();
  const queue = [{ source, folder }];
  for (const { source: code, folder: from } of queue) {
    for (const path of listRequiredPaths(code, from)) {
      const text = texts.has(path) ? null : library(path);
      if (text === null) continue;
      const plain = withoutComments(text);
      texts.set(path, plain);
      queue.push({ source: plain, folder: posix.dirname(path) });
    }
  }
  return [...texts.values()].join('\n');
}

function listRequiredPaths(code: string, folder: string): string[] {
  const plain = [...code.matchAll(REQUIRE)].map(([, relative, , path = '']) =>
    relative ? posix.join(folder, path) : path,
  );
  const joined = [...code.matchAll(REQUIRE_JOINED)].map(([, parts = '']) =>
    [...parts.matchAll(/['"]([\w./-]+)['"]/g)].map((part) => part[1] ?? '').filter((part) => !/^\.+$/.test(part)),
  );
  const paths = [...plain, ...joined.map((parts) => posix.join(...parts))];
  return paths.map((path) => path.replace(/\.rb$/, '')).filter((path) => !path.startsWith('.'));
}

/** Returns the body and parameter names of a method; null when the code does not define it. */
export function rubyMethod(code: string, name: string): { parameters: string[]; body: string } | null {
  const head = new RegExp(`^([ \\t]*)def (?:self\\.)?${name}\\b[ (]*([^)\\n]*)\\)?$`, 'm').exec(code);
  if (!head) return null;
  const [all, indent = '', list = ''] = head;
  const rest = code.slice(head.index + all.length);
  const end = new RegExp(`^${indent}end\\b`, 'm').exec(rest);
  const parameters = list.split(',').map((parameter) => parameter.trim().replace(/^[*&]|\s*[=:].*$/g, ''));
  return { parameters, body: end ? rest.slice(0, end.index) : rest };
}
