/** What a piece of work asks of the stores, in the units that are billed. */
export interface Use {
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Writes to the table of nodes, whose indexes the emulator does not bill. */
  readonly nodeWrites: number;
  readonly gets: number;
  readonly puts: number;
  readonly queueRequests: number;
  /** Requests to the tables, and the rows that they read or write. */
  readonly tableRequests: number;
  readonly rows: number;
}

export const NO_USE: Use = {
  readUnits: 0,
  writeUnits: 0,
  nodeWrites: 0,
  gets: 0,
  puts: 0,
  queueRequests: 0,
  tableRequests: 0,
  rows: 0,
};

export const UNITS = Object.keys(NO_USE) as readonly (keyof Use)[];

/** Applies `combine` to each unit of two uses. */
export function combineUse(a: Use, b: Use, combine: (a: number, b: number) => number): Use {
  return {
    readUnits: combine(a.readUnits, b.readUnits),
    writeUnits: combine(a.writeUnits, b.writeUnits),
    nodeWrites: combine(a.nodeWrites, b.nodeWrites),
    gets: combine(a.gets, b.gets),
    puts: combine(a.puts, b.puts),
    queueRequests: combine(a.queueRequests, b.queueRequests),
    tableRequests: combine(a.tableRequests, b.tableRequests),
    rows: combine(a.rows, b.rows),
  };
}

/** The uses of one node that the bill is made of. */
export interface MeasuredUse {
  /** An agent run in which nothing changed, on average over a virtual day. */
  readonly run: Use;
  /** What all runs of a second share that come to one container. */
  readonly second: Use;
  /** The report of a run that changed something, in place of one that did not. */
  readonly report: Use;
  /** A catalog that is compiled because a fact changed: from the request to the commit. */
  readonly compile: Use;
  /** A deploy that changes the catalog of the node: its fan-out and the compile. */
  readonly deploy: Use;
  /** A turn of the ring in which nothing changed. */
  readonly ring: Use;
  /** Facts that are stored for the inventory alone. */
  readonly facts: Use;
  /** The pruning of a day: it reads each node's record. */
  readonly prune: Use;
}

/** A node that does nothing. */
export const IDLE: MeasuredUse = {
  run: NO_USE,
  second: NO_USE,
  report: NO_USE,
  compile: NO_USE,
  deploy: NO_USE,
  ring: NO_USE,
  facts: NO_USE,
  prune: NO_USE,
};
