import { ENUMERABLE } from '../../shared/puppet/ruby/native/methods/enumerable-methods.ts';

/** Whether a collection has it from Enumerable: each costs no code of its own. */
export function isFromEnumerable(name: string): boolean {
  const [owner = '', method = ''] = name.split('#');
  return ['Array', 'Hash', 'Range'].includes(owner) && ENUMERABLE.has(method);
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Methods that run without Ruby though no template and no function of packaged modules was seen to
 * run them, by the reason for which they stay. One that modules come to use leaves the list.
 */
export const UNUSED_METHODS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'All values have it, nil and exceptions too: without it nil would refuse what it can',
    words(`
    Object#instance_of? Object#! Object#freeze NilClass#to_f NilClass#& NilClass#|
    Exception#message Exception#to_s Exception#class
    `),
  ],
  [
    'An operator beside those that are used',
    words(`
    Boolean#& Boolean#| Boolean#^ Symbol#<=> String#* String#< String#> String#<= String#<=>
    Integer#<=> Integer#/ Integer#% Integer#-@ Float#< Float#> Float#<= Float#>= Float#<=> Float#+
    Float#- Float#/ Float#-@ Array#| Range#=== Regexp#=~ Address#===
    `),
  ],
  [
    'Packaged modules name it, in code that these runs do not reach or of another class',
    words(`
    Symbol#to_s Symbol#to_sym String#bytesize String#match? String#dump
    String#index String#lstrip String#rstrip String#chomp String#chop
    String#lines String#sub String#rjust String#eql? Integer#floor Integer#ceil Integer#round
    Integer#to_f Integer#next Integer#times Float#to_f Float#floor Float#ceil Float#round Float#abs
    Float#zero? Array#fetch Array#to_h Hash#values Hash#values_at Hash#inspect Hash#to_hash
    Hash#to_h Hash#compact Hash#clone Hash#update Match#to_a Match#captures Match#to_s
    Address#ipv4? Address#to_s Address#include? Address#nil? Address#class Address#inspect
    Kernel#format Kernel#sprintf Digest::MD5.digest Digest::SHA256.digest
    Digest::SHA512.hexdigest Digest::SHA512.digest Puppet.info Puppet.notice Puppet.err
    Puppet.emerg Puppet.crit JSON.parse
    `),
  ],
  [
    'Eight of 300 public modules draw numbers, and five read settings, none of which is packaged',
    words('Kernel#rand Puppet.[]'),
  ],
  [
    'Checks of paths in stdlib 8 call it, which these runs give no path',
    words('Puppet::Util.absolute_path? Puppet::Util.respond_to?'),
  ],
  [
    'Backends of Hiera and readers of data files call it, which these runs do not reach',
    words('File.directory? File.exist? File.read Gem::Version.new YAML.safe_load'),
  ],
  [
    'Public modules call it in most of their compiles, none of which is packaged',
    words('Array#delete_if Array#reject! Array#sort! Hash#store Kernel#block_given? Puppet.version'),
  ],
  [
    'Common in Ruby since 2.3: packaged modules are older, and templates of sites are not',
    words(`
    String#tr String#each_char String#slice String#delete_prefix String#delete_suffix Integer#even?
    Integer#odd? Integer#positive? Integer#negative? Float#positive? Float#negative? Array#slice
    Array#dig Array#append Array#unshift Array#prepend Array#pop Hash#dig Hash#transform_values
    Puppet.alert JSON.generate
    `),
  ],
]);
