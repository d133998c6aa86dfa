import type { ChaosClients, ChaosWorld } from './chaos-world.ts';
import type { ChaosFacts, NodeModel } from './node-model.ts';
import { type ClientAnswer, type ClientRequest, sendRequest } from './tls-client.ts';
import type { Group } from './versioned-repo.ts';

const CATALOG_HEADERS = {
  Accept: 'application/vnd.puppet.rich+json',
  'Accept-Encoding': 'gzip',
  'Content-Type': 'application/x-www-form-urlencoded',
};

/** Requests of nodes and administrators, and deploys. */
export interface SentCounts {
  readonly requests: number;
  readonly deploys: number;
}

/** The requests of agents, pipelines and administrators, with what the model learns from each. */
export class ChaosClient {
  readonly #world: ChaosWorld;
  readonly #clients: ChaosClients;
  readonly #port: number;
  #sent: SentCounts = { requests: 0, deploys: 0 };

  constructor(world: ChaosWorld, clients: ChaosClients, port: number) {
    this.#world = world;
    this.#clients = clients;
    this.#port = port;
  }

  /** What was sent until now, answered or not. */
  get sent(): SentCounts {
    return this.#sent;
  }

  /**
   * Checks in and compares the catalog with the model; returns its bytes, or null without one. At
   * rest, everything that was sent before is known to be accepted.
   */
  async checkIn(node: NodeModel, facts: ChaosFacts, isAtRest = false): Promise<Buffer | null> {
    const { figures, deployed: least, repo } = this.#world;
    figures.checkIns += 1;
    node.facts.send(facts);
    const groups = node.group.possible;
    const answer = await this.#ask(node, `check-in ${JSON.stringify(facts)}`, {
      method: 'POST',
      path: `/puppet/v3/catalog/${node.certname}?environment=production`,
      headers: CATALOG_HEADERS,
      body: `environment=production&facts_format=application%2Fjson&facts=${encodeFacts(node.certname, facts)}`,
    });
    if (answer.status === 500) this.#reportServerError(node.certname, answer);
    if (answer.status !== 200) return null;
    figures.checkInsAcknowledged += 1;
    node.facts.acknowledge(facts);
    this.#world.judge(node, answer.body.toString('utf8'), {
      facts: [facts],
      groups,
      least: isAtRest ? repo.newest : least,
      most: repo.newest,
      isAtRest,
    });
    return answer.body;
  }

  async putFacts(node: NodeModel, facts: ChaosFacts): Promise<void> {
    this.#world.figures.factsPut += 1;
    node.facts.send(facts);
    const answer = await this.#ask(node, `facts ${JSON.stringify(facts)}`, {
      method: 'PUT',
      path: `/puppet/v3/facts/${node.certname}?environment=production`,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: node.certname, values: facts }),
    });
    if (answer.status === 500) this.#reportServerError(node.certname, answer);
    if (answer.status !== 200) return;
    this.#world.figures.factsAcknowledged += 1;
    node.facts.acknowledge(facts);
  }

  /** Classifies the node into a group. */
  async move(node: NodeModel, group: Group): Promise<void> {
    const { figures, log } = this.#world;
    figures.moves += 1;
    node.group.send(group);
    this.#count('requests');
    log.note(`${node.certname} > move to ${group}`);
    const answer = await sendRequest(this.#clients.administrator, this.#port, {
      method: 'PUT',
      path: `/understudy/v1/nodes/${node.certname}/classification`,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ classes: [], parameters: { group }, environment: null }),
    });
    log.note(`${node.certname} < move to ${group}: ${describeAnswer(answer)}`);
    if (answer.status === 500) this.#reportServerError(node.certname, answer);
    if (answer.status !== 200) return;
    figures.movesAcknowledged += 1;
    node.group.acknowledge(group);
  }

  /** Deploys what the control repo has, and waits for it; returns whether it was acknowledged. */
  async deploy(): Promise<boolean> {
    const { figures, log, repo } = this.#world;
    const versions = repo.newest;
    figures.deploys += 1;
    this.#count('deploys');
    const number = this.#sent.deploys;
    log.note(`deploy ${number} > ${[...versions].map(([file, version]) => `${file}=${version}`).join(', ')}`);
    const answer = await sendRequest(this.#clients.administrator, this.#port, {
      method: 'POST',
      path: '/code-manager/v1/deploys',
      headers: { 'Content-Type': 'application/json', 'X-Authentication': this.#clients.token },
      body: JSON.stringify({ environments: ['production'], wait: true }),
    });
    log.note(`deploy ${number} < ${describeAnswer(answer)}`);
    if (answer.status !== 200 || !/"status":"complete"/.test(answer.body.toString('utf8'))) return false;
    figures.deploysAcknowledged += 1;
    this.#world.noteDeployed(versions);
    return true;
  }

  #count(what: keyof SentCounts): void {
    this.#sent = { ...this.#sent, [what]: this.#sent[what] + 1 };
  }

  #reportServerError(certname: string, answer: ClientAnswer): void {
    this.#world.report(`${certname}: the answer is ${describeAnswer(answer)}`);
  }

  async #ask(node: NodeModel, what: string, request: ClientRequest): Promise<ClientAnswer> {
    const credentials = this.#clients.nodes.get(node.certname);
    if (credentials === undefined) throw new Error(`${node.certname} has no certificate`);
    this.#count('requests');
    this.#world.log.note(`${node.certname} > ${what}`);
    const answer = await sendRequest(credentials, this.#port, request);
    this.#world.log.note(`${node.certname} < ${what}: ${describeAnswer(answer)}`);
    return answer;
  }
}

function encodeFacts(certname: string, facts: ChaosFacts): string {
  return encodeURIComponent(encodeURIComponent(JSON.stringify({ name: certname, values: facts })));
}

function describeAnswer({ status, body }: ClientAnswer): string {
  return status === 200 ? '200' : `${status} ${body.toString('utf8').slice(0, 300)}`;
}
