import { posix } from 'node:path';
import type { Environment } from '../../puppet/environment/environment.ts';

const BLOCK = 512;

/** Packs the files below a folder of the environment as a tar archive (ustar). */
export function packFolder(environment: Environment, folder: string): Uint8Array {
  return packFolders(environment, [['', folder]]);
}

/** Packs the files below folders, each under a name. */
export function packFolders(
  environment: Environment,
  folders: readonly (readonly [name: string, path: string])[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  const add = (path: string, name: string): void => {
    if (environment.kindOf(path) === 'directory') {
      if (name !== '') parts.push(createHeader(`${name}/`, 0, '5', 0o755));
      for (const child of environment.list(path) ?? []) add(posix.join(path, child), posix.join(name, child));
      return;
    }
    const bytes = environment.read(path);
    if (bytes === null) return;
    parts.push(
      createHeader(name, bytes.length, '0', 0o644),
      bytes,
      new Uint8Array((BLOCK - (bytes.length % BLOCK)) % BLOCK),
    );
  };
  for (const [name, path] of folders) add(path, name);
  parts.push(new Uint8Array(2 * BLOCK));
  return Buffer.concat(parts);
}

function createHeader(name: string, size: number, type: '0' | '5', mode: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  const [prefix, last] = splitName(name);
  header.write(last, 0, 100);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(0, 12), 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\u000000', 257);
  header.write(prefix, 345, 155);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

/** Splits a name that is longer than its field at a slash. */
function splitName(name: string): readonly [prefix: string, last: string] {
  if (Buffer.byteLength(name) <= 100) return ['', name];
  for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
    const rest = name.slice(slash + 1);
    if (Buffer.byteLength(rest) <= 100 && slash <= 155) return [name.slice(0, slash), rest];
  }
  throw new Error(`The path ${name} is too long for an archive`);
}
