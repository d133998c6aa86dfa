import { describe, expect, it } from 'vitest';
import { QueueFull } from '../../../../shared/inventory/commands/queue-room.ts';
import type { SentCommand } from '../../../../shared/inventory/commands/store-command.ts';
import { QueuedCommands } from '../../../../shared/orchestrator/jobs/inventory-commands.ts';

/** Commands of a queue that is full for one node. */
function openQueue() {
  const stored: SentCommand[] = [];
  const enqueue = async (command: SentCommand) => {
    if (command.certname === 'full') throw new QueueFull('9 commands');
    stored.push(command);
    return [];
  };
  return { stored, commands: new QueuedCommands({ enqueue }) };
}

describe('commands of plans', () => {
  it('are stored for the inventory, under the name that it knows', async () => {
    const { stored, commands } = openQueue();
    const payload = '{"certname":"n1"}';
    const uuid = await commands.send({ command: 'deactivate_node', version: 3, payload });
    expect(uuid).toMatch(/^[0-9a-f-]{36}$/);
    const [{ payload: bytes, ...one } = { payload: new Uint8Array() }] = stored;
    expect(one).toEqual({ command: 'deactivate node', version: 3, certname: 'n1' });
    expect(new TextDecoder().decode(bytes)).toBe(payload);
  });

  it.each([
    [
      'an unknown one',
      { command: 'drop_tables', version: 1, payload: '{"certname":"n1"}' },
      /: the command must be one of .*deactivate node.*, not 'drop_tables'$/,
    ],
    [
      'a retired version',
      { command: 'replace_facts', version: 3, payload: '{"certname":"n1"}' },
      /: version 3 of 'replace facts' is retired; the oldest is 4$/,
    ],
    [
      'no certname',
      { command: 'replace_facts', version: 5, payload: '{"certname":" "}' },
      /: the certname must be a text that is not empty$/,
    ],
    [
      'more than a queue holds',
      { command: 'deactivate_node', version: 3, payload: '{"certname":"full"}' },
      /: The queue of commands is full: 9 commands wait$/,
    ],
    [
      'a payload of more than 8 MB',
      { command: 'deactivate_node', version: 3, payload: `{"certname":"n1","x":"${'x'.repeat(8 * 2 ** 20)}"}` },
      /: the payload has more than 8388608 bytes$/,
    ],
  ])('refuses %s', async (_, request, message) => {
    const { stored, commands } = openQueue();
    await expect(commands.send(request)).rejects.toMatchObject({
      kind: 'puppetlabs.orchestrator/puppetdb-error',
      message: expect.stringMatching(message),
    });
    expect(stored).toEqual([]);
  });
});
