import { Link } from '../routing/link.tsx';
import { EmptyState } from './answer-view.tsx';

/** Says what to do where no node has asked; `requests`: the number of certificate requests. */
export function NoNodeYet({ requests = 0 }: { readonly requests?: number }) {
  return (
    <EmptyState title="No node has asked yet.">
      Point an agent at this server: <code>puppet agent --test --server HOST</code>. Its certificate request waits under{' '}
      <Link to="/certificates">Certificates</Link>
      {requests > 0 && `: ${requests} are there now`}.
    </EmptyState>
  );
}
