import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mutateBytes } from './mutate-bytes.ts';
import { SeededChance } from './seeded-chance.ts';

/** What a target made of an input. `fault` says what it did wrong. */
export type FuzzOutcome = 'accepted' | 'refused' | { readonly fault: string };

/** A reader of foreign input. */
export interface FuzzTarget {
  /** Also the name of its folder in the corpus. */
  readonly name: string;
  /** Makes an input that is right, or almost. */
  generate(chance: SeededChance): Buffer | Promise<Buffer>;
  /** Throws for a fault of ours: an error that does not tell what is wrong with the input. */
  run(input: Buffer): FuzzOutcome | Promise<FuzzOutcome>;
}

export interface FuzzFinding {
  /** Repeats the input: `inputOf(target, seed, number)`. */
  readonly number: number;
  readonly fault: string;
  readonly input: Buffer;
}

export interface TargetFigures {
  readonly inputs: number;
  readonly accepted: number;
  readonly refused: number;
  /** The first input of each kind of fault. */
  readonly findings: readonly FuzzFinding[];
  readonly slowestMs: number;
}

export interface RunLimits {
  readonly seed: number;
  /** Inputs at most. */
  readonly inputs: number;
  /** No input begins after this time of `performance.now()`. */
  readonly until?: number;
  /** Called before each input. */
  readonly onInput?: (number: number) => void;
}

/** An input that takes longer is a finding: a server has other things to do. */
export const LONGEST_INPUT_MS = 5000;
const CORPUS = new URL('./corpus/', import.meta.url);
const CORPUS_SHARE = 0.35;
const MUTATED_SHARE = 0.4;
const PRIME = 0x9e3779b1;

/** The inputs of the corpus for a target; none without a folder. */
export function readCorpus(name: string): readonly Buffer[] {
  const folder = new URL(`${name}/`, CORPUS);
  try {
    return readdirSync(folder)
      .sort()
      .map((file) => readFileSync(fileURLToPath(new URL(file, folder))));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Input `number` of a target. The first ones are the corpus; all others follow from the seed. */
export async function inputOf(
  target: FuzzTarget,
  corpus: readonly Buffer[],
  seed: number,
  number: number,
): Promise<Buffer> {
  const known = corpus[number];
  if (known !== undefined) return known;
  const chance = new SeededChance(Math.imul(seed, PRIME) + number);
  const isKnown = corpus.length > 0 && chance.often(CORPUS_SHARE);
  const input = isKnown ? chance.of(corpus) : await target.generate(chance);
  if (!isKnown && !chance.often(MUTATED_SHARE)) return input;
  return mutateBytes(input, isKnown ? chance.of(corpus) : await target.generate(chance), chance);
}

/** Runs inputs until one limit is reached. Equal seeds give equal inputs. */
export async function runTarget(
  target: FuzzTarget,
  { seed, inputs, until = Number.POSITIVE_INFINITY, onInput = () => undefined }: RunLimits,
): Promise<TargetFigures> {
  const corpus = readCorpus(target.name);
  const findings = new Map<string, FuzzFinding>();
  let [number, accepted, refused, slowestMs] = [0, 0, 0, 0];
  for (; number < inputs && (number < corpus.length || performance.now() < until); number += 1) {
    onInput(number);
    const input = await inputOf(target, corpus, seed, number);
    const began = performance.now();
    const outcome = await attempt(target, input);
    const tookMs = performance.now() - began;
    slowestMs = Math.max(slowestMs, tookMs);
    if (outcome === 'accepted') accepted += 1;
    if (outcome === 'refused') refused += 1;
    const slow = tookMs > LONGEST_INPUT_MS ? `it took ${Math.round(tookMs)} ms` : null;
    const fault = typeof outcome === 'object' ? outcome.fault : slow;
    if (fault === null) continue;
    const kind = fault
      .split('\n', 3)
      .join('\n')
      .replaceAll(/\d+|'[^']*'/g, '…');
    if (!findings.has(kind)) findings.set(kind, { number, fault, input });
  }
  return { inputs: number, accepted, refused, findings: [...findings.values()], slowestMs };
}

async function attempt(target: FuzzTarget, input: Buffer): Promise<FuzzOutcome> {
  try {
    return await target.run(input);
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
