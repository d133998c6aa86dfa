import { useState } from 'preact/hooks';
import { callApi } from '../../data/api-client.ts';
import { jobCommand } from '../../data/commands/cli-commands.ts';
import { startJobForm } from '../../data/job-draft.ts';
import { jobIdIn } from '../../data/job-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAction } from '../../data/use-action.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { CheckField } from '../../parts/fields.tsx';
import { announce } from '../../parts/toasts.tsx';
import { navigate } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';
import { useConnection } from './agent-connection.tsx';

interface RunNowProps {
  readonly certname: string;
  readonly environment: string;
}

/** A button that runs Puppet on a node, for those who may. */
export function RunNow({ certname, environment }: RunNowProps) {
  const [isOpen, setOpen] = useState(false);
  const [mayRun, mayView] = [usePermission('puppet_agent', 'run'), usePermission('orchestrator', 'view')];
  if (!mayRun || !mayView) return null;
  return (
    <>
      <button type="button" class="button button-primary" onClick={() => setOpen(true)}>
        Run now
      </button>
      {isOpen && <RunDialog certname={certname} environment={environment} onClose={() => setOpen(false)} />}
    </>
  );
}

function RunDialog({ certname, environment, onClose }: RunNowProps & { readonly onClose: () => void }) {
  const [isNoop, setNoop] = useState(false);
  const connection = useConnection(certname);
  const form = { ...startJobForm(new URLSearchParams()), environment, nodes: certname, isNoop };
  const command = jobCommand(form, {});
  const start = useAction(async () => {
    const body = { environment, noop: isNoop, scope: { nodes: [certname] } };
    const { data } = await callApi('/orchestrator/v1/command/deploy', { method: 'POST', body });
    const id = jobIdIn(data);
    announce(`Puppet runs on ${certname}.`);
    onClose();
    if (id !== null) navigate(pathOf('jobs', id));
  });
  return (
    <ActionDialog title={`Run Puppet on ${certname}`} action={start} label="Run" command={command} onClose={onClose}>
      <p>The agent applies the catalog of the environment {environment}.</p>
      {connection?.connected === false && (
        <p class="notice notice-wait">
          The agent is not connected to a broker, so the job would fail. On the node, pxp-agent has to run.
        </p>
      )}
      <CheckField label="Only show what would change (noop)" isChecked={isNoop} onChange={setNoop} />
    </ActionDialog>
  );
}
