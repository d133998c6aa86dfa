import type { FleetEvents } from '../../fleet/overview/fleet-events.ts';
import type { JobProgress } from '../../orchestrator/jobs/job-context.ts';
import type { Clock } from '../../store/ports/clock.ts';

/** Shows what steps of jobs change in the stream of events, two events a step at most. */
export function showJobs(events: Pick<FleetEvents, 'add'>, clock: Clock): (progress: JobProgress) => void {
  return ({ number, body, nodes }) => {
    const id = String(number);
    const { command, environment, nodeCount, stays } = body;
    const at = clock.now();
    if (nodes.length > 0) {
      const shown = nodes.map(({ name, state }) => ({ certname: name, state }));
      events.add({ kind: 'job-nodes', id, nodes: shown }, at);
    }
    const begun = Object.values(body.nodeStates).reduce((sum, count) => sum + count, 0);
    const nodeStates = { ...body.nodeStates, new: nodeCount - begun + (body.nodeStates.new ?? 0) };
    const state = stays.at(-1)?.state ?? 'new';
    events.add({ kind: 'job', id, state, command, environment: environment || null, nodeStates }, at);
  };
}
