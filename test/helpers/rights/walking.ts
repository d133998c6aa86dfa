import type { Permission } from '../../../shared/access/accounts/access-control.ts';

/** Numbers below `most`, the same for the same seed. */
export function createChance(seed: number): (most: number) => number {
  let state = seed * 2654435761 + 1;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

/** Reads a permission that is written as `tasks:run:demo::hello`. */
export function parsePermission(text: string): Permission {
  const [objectType = '', action = '', ...instance] = text.split(':');
  return { objectType, action, instance: instance.join(':') };
}

export function printPermission({ objectType, action, instance }: Permission): string {
  return `${objectType}:${action}:${instance}`;
}
