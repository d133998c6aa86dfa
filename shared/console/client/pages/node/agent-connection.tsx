import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { RelativeTime } from '../../parts/time.tsx';

interface Connection {
  readonly connected: boolean;
  readonly timestamp?: string;
}

/** Whether the node's agent is connected to a broker; null while it is not known, or may not be. */
export function useConnection(certname: string): Connection | null {
  const maySee = usePermission('orchestrator', 'view');
  const path = `/orchestrator/v1/inventory/${encodeURIComponent(certname)}`;
  return useAnswer<Connection>(maySee ? path : null, { every: 15_000 }).data;
}

/** Since when the node's agent is connected, in words. */
export function AgentConnection({ certname }: { readonly certname: string }) {
  const connection = useConnection(certname);
  if (connection === null) return <span class="muted">not known</span>;
  if (!connection.connected) return <>not connected</>;
  if (connection.timestamp === undefined) return <>connected</>;
  return (
    <>
      connected <RelativeTime at={connection.timestamp} />
    </>
  );
}
