import { execFileSync } from 'node:child_process';

/**
 * Whether `puppet` is in PATH; it is not started, which takes 0.7 s of CPU. On CI it must be there.
 */
export function hasPuppet(): boolean {
  if (process.env.CI === 'true') return true;
  try {
    execFileSync('sh', ['-c', 'command -v puppet'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
