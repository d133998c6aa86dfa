import { execFileSync } from 'node:child_process';

/** Whether `puppet` is installed. On CI it must be. */
export function hasPuppet(): boolean {
  if (process.env.CI === 'true') return true;
  try {
    execFileSync('puppet', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
