/**
 * An automaton of what a backtracking matcher consumes. Counted repetitions are written out.
 */

import { asciiMembers } from './charsets.ts';
import { addSteps, constantSteps, type Steps } from './cost-polynomial.ts';
import { ENDLESS, type PatternNode } from './pattern.ts';
import { leastLength } from './recursion.ts';

/** Thrown when no useful bound for a pattern can be found. */
export class UnboundedMatch extends Error {}

/** A state that consumes a character. */
export interface Position {
  /** The ASCII characters, 32 in each number. */
  readonly ascii: readonly number[];
  /** Whether it may consume any other character. */
  readonly isWide: boolean;
  readonly next: Link;
}

type Link =
  | { readonly kind: 'position'; readonly position: Position }
  | { readonly kind: 'fork'; readonly options: Link[] }
  | { readonly kind: 'test'; readonly steps: Steps; readonly next: Link }
  | { readonly kind: 'match' };

/** Successors of a position. */
export interface Follow {
  /** Listed once for each way that leads there without consuming anything. */
  readonly positions: readonly Position[];
  /** The steps of the tests on all these ways. */
  readonly tests: Steps;
  /** Whether the match may end here whatever follows. */
  readonly accepts: boolean;
}

const MATCH: Link = { kind: 'match' };
/** More positions or ways than this are not analysed. */
const LARGEST = 2000;

/** Whether a character exists that both may consume. */
export function overlaps(one: Position, other: Position): boolean {
  if (one.isWide && other.isWide) return true;
  return one.ascii.some((bits, at) => (bits & (other.ascii[at] ?? 0)) !== 0);
}

/** `measureTest` bounds the steps of a look-around's body. */
export class MatchAutomaton {
  readonly start: Link;
  readonly #measureTest: (body: PatternNode) => Steps;
  #size = 0;
  #ways = 0;

  constructor(root: PatternNode, measureTest: (body: PatternNode) => Steps) {
    this.#measureTest = measureTest;
    this.start = this.#build(root, MATCH);
  }

  /** Follows all ways from a link up to the next positions. */
  follow(link: Link): Follow {
    const positions: Position[] = [];
    let tests = constantSteps(0);
    let accepts = false;
    const visit = (at: Link, isTested: boolean): void => {
      this.#ways += 1;
      if (this.#ways > 10 * LARGEST) throw new UnboundedMatch();
      if (at.kind === 'position') positions.push(at.position);
      else if (at.kind === 'match') accepts ||= !isTested;
      else if (at.kind === 'fork') for (const option of at.options) visit(option, isTested);
      else {
        tests = addSteps(tests, at.steps);
        visit(at.next, true);
      }
    };
    visit(link, false);
    return { positions, tests, accepts };
  }

  #build(node: PatternNode, next: Link): Link {
    this.#size += 1;
    if (this.#size > LARGEST) throw new UnboundedMatch();
    switch (node.kind) {
      case 'sequence':
        return node.items.reduceRight((rest, item) => this.#build(item, rest), next);
      case 'alternatives':
        return { kind: 'fork', options: node.items.map((item) => this.#build(item, next)) };
      case 'capture':
        return this.#build(node.body, next);
      case 'literal':
      case 'set':
        return { kind: 'position', position: createPosition(node, next) };
      case 'anchor':
        if (node.type === 'keep' || node.type === 'searchStart') throw new UnboundedMatch();
        return { kind: 'test', steps: constantSteps(2), next };
      case 'ahead':
      case 'behind':
        return { kind: 'test', steps: this.#measureTest(node.body), next };
      case 'repeat':
        return this.#buildRepeat(node, next);
      default:
        throw new UnboundedMatch();
    }
  }

  #buildRepeat(node: Extract<PatternNode, { kind: 'repeat' }>, next: Link): Link {
    const { body, min, max, mode } = node;
    if (mode === 'possessive') throw new UnboundedMatch();
    let entry = next;
    if (max === ENDLESS) {
      // Rounds that consume nothing multiply the ways to the same place.
      if (leastLength(body) === 0) throw new UnboundedMatch();
      const options: Link[] = [];
      entry = { kind: 'fork', options };
      options.push(this.#build(body, entry), next);
    }
    for (let count = max === ENDLESS ? 0 : max - min; count > 0; count -= 1) {
      entry = { kind: 'fork', options: [this.#build(body, entry), next] };
    }
    for (let count = min; count > 0; count -= 1) entry = this.#build(body, entry);
    return entry;
  }
}

function createPosition(node: Extract<PatternNode, { kind: 'literal' | 'set' }>, next: Link): Position {
  if (node.kind === 'set') return { ascii: packBits(asciiMembers(node.includes)), isWide: !node.isAscii, next };
  const members = new Uint8Array(0x80);
  const char = String.fromCodePoint(node.code);
  for (const each of node.ignoreCase ? [char.toLowerCase(), char.toUpperCase()] : [char]) {
    const code = each.codePointAt(0) ?? 0;
    if (code < 0x80) members[code] = 1;
  }
  // Letters outside ASCII, such as the sign of Kelvin, fold to letters of ASCII.
  return { ascii: packBits(members), isWide: node.code >= 0x80 || node.ignoreCase, next };
}

function packBits(members: Uint8Array): readonly number[] {
  const bits = [0, 0, 0, 0];
  for (const [code, isMember] of members.entries()) {
    if (isMember === 1) bits[code >> 5] = (bits[code >> 5] ?? 0) | (1 << (code & 31));
  }
  return bits;
}
