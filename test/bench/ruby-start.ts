/**
 * Prints as JSON the cost of the first template in a new process: CPU milliseconds of all threads.
 * From the second run on, Ruby's image exists.
 */
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { NO_CALLBACKS } from '../helpers/ruby-callbacks.ts';
import { cpuOf } from './measure.ts';

const ruby = createWasmRuby({ rendersAll: true });
const template = { path: '/bench.erb', text: '<%= 6 * 7 %>' };
const ms = cpuOf(() => ruby.renderTemplate(template, NO_CALLBACKS));
console.log(JSON.stringify({ ms }));
process.exit(0);
