/**
 * Kills a process, which leads a group, with all of its group; nothing happens when it has ended.
 */
export function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
