import { execFileSync } from 'node:child_process';

/** Whether there is a puppet to run. Where CI says so, there must be. */
export function hasPuppet(): boolean {
  if (process.env.CI === 'true') return true;
  try {
    execFileSync('puppet', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
