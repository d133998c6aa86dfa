/** Reads how busy this thread's event loop was since the last call: a share of the time, 0 to 1. */
export function watchBusyShare(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
