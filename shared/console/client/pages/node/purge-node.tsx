import { callApi } from '../../data/api-client.ts';
import { purgeCommand } from '../../data/commands/cli-commands.ts';
import { usePermission } from '../../data/session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { navigate } from '../../routing/location.ts';

/** A button that removes what the server knows of a node, for those who may. */
export function PurgeNode({ certname }: { readonly certname: string }) {
  if (!usePermission('nodes', 'edit_data')) return null;
  return (
    <ConfirmButton
      label="Purge"
      question={`Purge ${certname}?`}
      done={`${certname} is purged.`}
      tone="danger"
      command={purgeCommand(certname)}
      perform={async () => {
        await callApi(`/understudy/v1/nodes/${encodeURIComponent(certname)}`, { method: 'DELETE' });
        navigate('/nodes');
      }}
    >
      Its facts, exports, reports and classification are deleted. Its certificate stays: revoke it, or the node comes
      back with its next run.
    </ConfirmButton>
  );
}
