import { gzipSync } from 'node:zlib';
import {
  type PreparedResourceType,
  type PreparedResourceTypes,
  prepareResourceType,
  typeDefinitionFiles,
} from '../../puppet/compiler/resource-types/prepared-resource-types.ts';
import type { Environment } from '../../puppet/environment/environment.ts';
import { Inputs, NO_RECORDER } from '../../puppet/environment/inputs.ts';
import { SERVED_CODE_DIRECTORY, type Snapshot } from '../../puppet/environment/snapshot.ts';
import { openSnapshotEnvironment, snapshotTree } from '../../puppet/environment/snapshot-environment.ts';
import { fileStates, verifyInputs } from '../../puppet/environment/verify.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import { readZippedJson } from '../../util/zipped-json.ts';

/**
 * Has Ruby describe those resource types of a snapshot that cannot be described from their text
 * alone. Descriptions in `old` are reused for unchanged files. `readFile` returns content by its
 * sha256. Types that are left when `isOver` becomes true are described by compiles.
 */
export function prepareTypes(
  snapshot: Snapshot,
  codeId: string,
  readFile: (sha256: string) => Uint8Array,
  ruby: RubyPort,
  old: PreparedResourceTypes,
  isOver: () => boolean = () => false,
): PreparedResourceTypes {
  const tree = snapshotTree(snapshot, readFile);
  const open = (inputs: Inputs | typeof NO_RECORDER): Environment =>
    openSnapshotEnvironment(snapshot, codeId, tree, inputs);
  const stateOf = fileStates(tree, SERVED_CODE_DIRECTORY);
  const prepared = new Map<string, PreparedResourceType>();
  for (const [name, path] of typeDefinitionFiles(open(NO_RECORDER))) {
    if (isOver()) break;
    const known = old.get(name);
    const isKnown = known && verifyInputs({ files: known.files }, { stateOf }).length === 0;
    const type = isKnown ? known : prepareOne(open, ruby, codeId, name, path);
    if (type) prepared.set(name, type);
  }
  return prepared;
}

function prepareOne(
  open: (inputs: Inputs) => Environment,
  ruby: RubyPort,
  codeId: string,
  name: string,
  path: string,
): PreparedResourceType | null {
  const inputs = new Inputs();
  ruby.beginCompile(codeId);
  const description = prepareResourceType(open(inputs), ruby, name, path);
  if (!description) return null;
  const files = Object.entries(inputs.getResult().files);
  return {
    description,
    files: Object.fromEntries(files.map(([file, state]) => [`${SERVED_CODE_DIRECTORY}/${file}`, state])),
  };
}

const FORMAT = 2;

/** Prints types as a blob: gzipped JSON, whose checksum detects damage. */
export function printPreparedTypes(types: PreparedResourceTypes): Uint8Array {
  return gzipSync(JSON.stringify({ format: FORMAT, types: [...types] }));
}

/**
 * Reads types from a blob; empty without a blob, for a damaged one, or for another release's
 * format. Compiles then describe types themselves.
 */
export function readPreparedTypes(bytes: Uint8Array | null): PreparedResourceTypes {
  const blob = bytes && readZippedJson(bytes);
  return isTypes(blob) ? new Map(blob.types) : new Map();
}

function isTypes(value: unknown): value is { types: [string, PreparedResourceType][] } {
  return (
    typeof value === 'object' && value !== null && 'format' in value && value.format === FORMAT && 'types' in value
  );
}
