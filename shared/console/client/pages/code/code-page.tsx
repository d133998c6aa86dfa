import { usePermission } from '../../data/session.ts';
import { PageHead } from '../../parts/panel.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { DeployedTab } from './deployed-tab.tsx';
import { SourcesTab } from './sources-tab.tsx';
import { ValuesTab } from './values-tab.tsx';

/** Environments and deploys, the git sources of code, and the values that modules keep. */
export function CodePage({ tab }: { readonly tab: string }) {
  const maySeeSources = usePermission('environment', 'deploy_code', '*');
  const maySeeValues = usePermission('nodes', 'view_data');
  const tabs: readonly (readonly [string, string, string, boolean])[] = [
    ['environments', 'Environments', '/code', true],
    ['sources', 'Sources', '/code/sources', maySeeSources],
    ['values', 'Kept values', '/code/values', maySeeValues],
  ];
  const offered = tabs.filter(([, , , isOffered]) => isOffered);
  const chosen = offered.find(([id]) => id === tab)?.[0] ?? 'environments';
  return (
    <>
      <PageHead title="Code" lead="What is deployed, where it comes from, and what a deploy would change" />
      <Tabs label="About the code" chosen={chosen} tabs={offered.map(([id, title, to]) => ({ id, title, to }))} />
      {chosen === 'sources' ? <SourcesTab /> : chosen === 'values' ? <ValuesTab /> : <DeployedTab />}
    </>
  );
}
