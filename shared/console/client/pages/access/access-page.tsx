import { PageHead } from '../../parts/panel.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { RolesTab } from './roles-tab.tsx';
import { TokensTab } from './tokens-tab.tsx';
import { UsersTab } from './users-tab.tsx';

/** Users, roles and tokens. */
export function AccessPage({ tab }: { readonly tab: string }) {
  return (
    <>
      <PageHead title="Access" lead="Who may do what" />
      <Tabs
        label="Access"
        chosen={tab}
        tabs={[
          { id: 'users', title: 'Users', to: '/access' },
          { id: 'roles', title: 'Roles', to: '/access/roles' },
          { id: 'tokens', title: 'My tokens', to: '/access/tokens' },
        ]}
      />
      {tab === 'roles' ? <RolesTab /> : tab === 'tokens' ? <TokensTab /> : <UsersTab />}
    </>
  );
}
