/**
 * The thread that runs Ruby: a machine on our own operating system layer, restored from an image.
 * Its request loop runs until the host ends it.
 */
import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { machineryFault } from '../../errors/machinery-fault.ts';
import { BACK, BASE, HOLD, RubyEnd } from '../channel.ts';
import { keepFileIfPossible } from './image-folder.ts';
import { keyOfOrigin, type RubyOrigin } from './ruby-origin.ts';
import { bootImage } from './wasm-boot.ts';
import { allFiles } from './wasm-files.ts';
import { imageName, printImage, type RubyImage, readImage } from './wasm-image.ts';
import { type MachineState, type RubyModule, WasmMachine } from './wasm-machine.ts';

/** The thread's start parameters. */
export interface WasmWorkerData {
  readonly ruby: RubyModule;
  readonly channel: SharedArrayBuffer;
  /** The Ruby side, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly time: bigint;
  /** Origin of Ruby's image. */
  readonly origin: RubyOrigin;
  /** Folders in which an image is searched, in order. */
  readonly imageFolders: readonly string[];
  /** Folder in which a new image is stored; null for none. */
  readonly cacheFolder: string | null;
}

const MOST_ERROR_BYTES = 8192;
const KEPT = Buffer.from('{"kept":true}\n', 'utf8');

/** Interrupts Ruby when the host requests an earlier state. */
class Recalled extends Error {
  readonly state: MachineState;

  constructor(state: MachineState) {
    super('recalled');
    this.state = state;
  }
}

function run(data: WasmWorkerData): void {
  const channel = new RubyEnd(data.channel);
  channel.reportThread();
  let complaint = '';
  try {
    serve(data, findImage(data), channel, (text) => {
      complaint = (complaint + text).slice(-MOST_ERROR_BYTES);
    });
    channel.break(complaint || 'Ruby ended');
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const text = complaint === '' ? reason : `${reason}\n${complaint}`;
    if (machineryFault(error)) channel.fail(text);
    else channel.break(text);
  }
}

/** Answers requests until Ruby ends. */
function serve(data: WasmWorkerData, image: RubyImage, channel: RubyEnd, complain: (text: string) => void): void {
  let held = image.state;
  let isToHold = false;
  const machine: WasmMachine = new WasmMachine(data.ruby, {
    files: allFiles(data.files, image.library),
    time: data.time,
    read: (most) => {
      channel.reportMemory(machine.memoryBytes);
      const bytes = channel.read(most);
      if (channel.isCommand(bytes, BACK)) throw new Recalled(held);
      if (channel.isCommand(bytes, BASE)) throw new Recalled(image.state);
      isToHold = channel.isCommand(bytes, HOLD);
      return bytes;
    },
    write: (bytes) => {
      channel.reportMemory(machine.memoryBytes);
      channel.write(bytes);
    },
    writeError: (bytes) => complain(Buffer.from(bytes).toString('utf8')),
    // Ruby's random seeds and SecureRandom. Values drawn from it mark the catalog as volatile.
    fillRandom: (bytes) => {
      channel.reportDraw();
      randomFillSync(bytes);
    },
  });
  machine.restore(held);
  for (;;) {
    const recalled = serveOnce(machine);
    if (recalled) {
      held = recalled;
      machine.restore(held);
    } else if (isToHold) held = machine.takeState();
    else return;
    isToHold = false;
    if (!channel.hasUnread) channel.write(KEPT);
  }
}

/** Serves until Ruby returns (null) or the host requests a state. */
function serveOnce(machine: WasmMachine): MachineState | null {
  try {
    machine.run('Understudy.serve!'); // short: Ruby parses it in each compile
    return null;
  } catch (error) {
    if (error instanceof Recalled) return error.state;
    throw error;
  }
}

function findImage({ files, origin, imageFolders, cacheFolder }: WasmWorkerData): RubyImage {
  const key = keyOfOrigin(origin);
  for (const folder of imageFolders) {
    const image = readImage(join(folder, imageName(key)), key);
    if (image) return image;
  }
  const image = bootImage(files, { imageFolders, cacheFolder });
  if (cacheFolder !== null) keepFileIfPossible(join(cacheFolder, imageName(key)), printImage(origin, image));
  return image;
}

run(workerData);
