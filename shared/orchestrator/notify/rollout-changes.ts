import type { NotifyLane } from './notify-lane.ts';
import type { Rollout, RolloutPause, Wave } from './rollout-state.ts';
import { describeWave } from './wave-job.ts';

/** Puts a wave in the place of the one with its job. */
export function replaceWave(rollout: Rollout, wave: Wave): Rollout {
  return { ...rollout, waves: rollout.waves.map((one) => (one.job === wave.job ? wave : one)) };
}

/** The canaries of a wave did no worse than before: the others follow. */
export function passCanaries(rollout: Rollout, wave: Wave, count: number): Rollout {
  const { passed } = rollout;
  const earlier = passed.codeId === wave.codeId ? passed.count : 0;
  const next = replaceWave(rollout, { ...wave, phase: 'rest' });
  return { ...next, passed: { codeId: wave.codeId, count: earlier + count } };
}

/** Stops notifying further nodes. */
export function pauseRollout(rollout: Rollout, paused: RolloutPause): Rollout {
  return { ...rollout, paused };
}

/**
 * Ends a pause. `resumed`: the nodes that wait follow without canaries. `superseded`: they are
 * notified of newer catalogs, after canaries; those that failed go first.
 */
export function clearPause(rollout: Rollout, how: 'resumed' | 'superseded'): Rollout {
  const { paused, waves } = rollout;
  if (how === 'resumed') {
    const passed = { codeId: paused?.codeId ?? null, count: Number.MAX_SAFE_INTEGER };
    return { ...rollout, paused: null, passed, waves: waves.map((wave) => ({ ...wave, phase: 'rest' as const })) };
  }
  return {
    ...rollout,
    paused: null,
    passed: { codeId: null, count: 0 },
    waves: waves.map((wave) => ({ ...wave, isSuperseded: true })),
    suspects: paused?.nodes ?? [],
  };
}

/** Says what holds a rollout back, and how to go on. */
export function describePause({ environment }: NotifyLane, { reason, job }: RolloutPause): string {
  return [
    `${describeWave(environment)}; paused: ${reason}.`,
    'Deploy a change that mends it, and the nodes that get newer catalogs run;',
    `or go on with 'understudy notify resume ${job}'; or give up with 'understudy job stop'`,
  ].join(' ');
}
