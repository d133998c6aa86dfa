import { expect, it } from 'vitest';
import { AcceptGate, type AcceptRate, acceptRateOf } from '../../../../shared/orchestrator/broker/accept-gate.ts';

const busy = () => 1;

const admitted = (gate: AcceptGate, tries: number) =>
  Array.from({ length: tries }, () => gate.admits()).filter(Boolean).length;

function finish(gate: AcceptGate, handshakes: number): void {
  for (let ended = 0; ended < handshakes; ended += 1) gate.finish();
}

/** A gate that was busy for so long that it has its limits alone, and a full bucket. */
function makeBusyGate(rate: AcceptRate) {
  const clock = { time: 0, now: () => clock.time };
  const gate = new AcceptGate(rate, clock, busy);
  for (clock.time = 0; clock.time < 60_000; clock.time += 1000) {
    gate.admits();
    gate.finish();
  }
  clock.time += 60_000;
  return { clock, gate };
}

it('admits a burst, then a number a second', () => {
  const { clock, gate } = makeBusyGate({ perSecond: 10, burst: 20, mostPending: 1000 });
  expect(admitted(gate, 100)).toBe(20);
  clock.time += 500;
  expect(admitted(gate, 100)).toBe(5);
  clock.time += 60_000;
  expect(admitted(gate, 100)).toBe(20);
});

it('admits no more than so many handshakes at a time', () => {
  const { gate } = makeBusyGate({ perSecond: 10, burst: 20, mostPending: 3 });
  expect(admitted(gate, 10)).toBe(3);
  gate.finish();
  expect(admitted(gate, 10)).toBe(1);
});

it('starts with four times its limits', () => {
  const gate = new AcceptGate({ perSecond: 10, burst: 20, mostPending: 50 }, { now: () => 0 }, busy);
  expect(admitted(gate, 1000)).toBe(80);
  finish(gate, 80);
  expect(admitted(gate, 1000)).toBe(0);
});

it('has up to four times its limits while the event loop has time to spare, in steps', () => {
  const clock = { time: 0, now: () => clock.time };
  const load = { share: 0 };
  const gate = new AcceptGate({ perSecond: 100, burst: 100, mostPending: 125 }, clock, () => load.share);
  expect(admitted(gate, 1000)).toBe(400);
  clock.time += 250;
  expect(admitted(gate, 1000)).toBe(100);
  expect(gate.isFull).toBe(true);
  finish(gate, 500);
  load.share = 0.9;
  for (const expected of [66, 45, 29, 25, 25]) {
    clock.time += 250;
    expect(admitted(gate, 1000)).toBe(expected);
    finish(gate, expected);
  }
  expect(admitted(gate, 1000)).toBe(0);
});

it('says how many connections it will have a place for', () => {
  const { gate } = makeBusyGate({ perSecond: 10, burst: 20, mostPending: 3 });
  expect([gate.countPlaces(4000), gate.countPlaces(50)]).toEqual([40, 1]);
});

it('does not run backwards with the clock', () => {
  const { clock, gate } = makeBusyGate({ perSecond: 10, burst: 20, mostPending: 1000 });
  expect(admitted(gate, 15)).toBe(15);
  clock.time = 0;
  expect(admitted(gate, 15)).toBe(5);
});

it.each([
  [150, { perSecond: 150, burst: 300, mostPending: 300 }],
  [5, { perSecond: 5, burst: 10, mostPending: 50 }],
])('has limits that follow from the rate of %i a second', (perSecond, expected) => {
  expect(acceptRateOf(perSecond)).toEqual(expected);
});
