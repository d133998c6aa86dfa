import { afterAll, describe, expect, it } from 'vitest';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import { RecordedAnswers } from '../../../../helpers/recorded-answers.ts';
import { rubySources } from '../../../../helpers/reference-sources.ts';
import { BothResults } from './both-results.ts';

const both = new BothResults(
  new RecordedAnswers({ name: 'ruby-syntax', test: import.meta.filename, sources: rubySources }),
);
afterAll(() => both.close());

const values = () => [['p', 'q', 1n], PuppetHash.of([['k', 'v']]), 'text'];

/** What a template gives, here and in Ruby. */
function expectSame(text: string): string | null {
  const here = both.here(text, values());
  const theirs = both.inRuby(text, values());
  if (here !== null) expect(here).toBe(theirs);
  return here;
}

describe('tags are read as Ruby reads them, and need no Ruby', () => {
  it.each([
    'a<% x = 1 %>b',
    'a\n<% x = 1 %>\nb',
    'a\n<% x = 1 -%>\nb',
    'a\n  <%- x = 1 -%>\nb',
    'a\n  <%- x = 1 %>\nb',
    'a  <%- x = 1 -%>  \nb',
    '<% x = 1 -%>  <%- y = 2 -%>\nb',
    '<%= @c -%>\n<%= @c %>\n',
    '<%= @c -%>\r\n<%= @c %>\r\n',
    '<% x = 1 -%>\r\nb',
    '<%# comment %>a<%# other -%>\nb',
    '<%-# comment -%>\nb',
    '<% # comment %>lost\nkept',
    '<% x = 1 # comment -%>\nb <%= x %>',
    '<%% a %> <%%= b %%> %%> -%>',
    '<% x = "%%>" %><%= x %>',
    '<%= %>a',
    '<%= 1; 2 %>',
    '<%=@c%>',
    'a <% x = 1',
    '<%\n  x = 1\n  y = 2\n%>\n<%= x + y %>',
    '<% if @c %>a<% else %>b<% end %>',
    '<% if @c -%>\na\n<% elsif @a -%>\nb\n<% end -%>\nc',
    '<% @a.each do |x| -%>\n<%= x %>,\n<% end -%>\n',
    '<% @a.each do |x| %><%= x %><% end %>',
    '<%- @a.each_with_index { |x, i| -%>\n<%= i %>: <%= x %>\n<%- } -%>\n',
    '<% case @c when "text" -%>\nyes\n<% else -%>\nno\n<% end -%>\n',
    'é 😀 <%= @c %> ü',
    '%% line\n% x\n<%= 1 %>',
    '<%= "a\nb" %>',
    "<%= 'a\n  b' %>\n",
  ])('%j', (text) => {
    expect(expectSame(text)).not.toBeNull();
  });
});

describe('code is read as Ruby reads it, and needs no Ruby', () => {
  it.each([
    '1 + 2 * 3 - 4 / 3 % 2 ** 2',
    '-2 + - 2',
    '7 / -2',
    '!true || !false && nil',
    '(not true)',
    '1 < 2 && 2 <= 2 and 3 > 2',
    '1 <=> 2',
    '@c ? 1 : 2',
    '@c ?  @a.empty? ? 1 : 2  : 3',
    '@a.empty? ? 1 : 2',
    "@a.include?('p') ? 'x' : 'y'",
    "(@a.include? 'p')",
    "(@a.include? 'p' and @c)",
    "@a.join ','",
    "@a.map { |x| x.to_s }.join('-')",
    '@a.map(&:to_s)',
    '@a.map do |x| x.to_s * 2 end',
    '@b.map { |k, v| [v, k] }',
    '@b.each_with_index.to_a.size rescue 1',
    '@b.sort_by { |(k, v), i| v }',
    '[[1, [2, 3]]].map { |a, (b, c)| a + b + c }',
    '[[1, 2]].each { |x, | x }',
    "@b['k']",
    "@b[ 'k' ].upcase",
    '@a[0, 2]',
    '@a[-1]',
    '@a[1..-1]',
    '@a[0...1]',
    '"a#{@c}b#{@a.map { |x| "<#{x}>" }.join}c"',
    "'a\\'b\\\\c\\d'",
    '"\\t\\e\\u00e9\\u{1F600}\\"\\#{x}"',
    '%w[a b c]',
    '%w(a b)',
    '%q(it(s))',
    '%Q[a#{1}b]',
    ':sym.to_s + :"quoted sym".to_s',
    '{ a: 1, "b" => 2, :c => 3 }',
    '{ :a=>1, }',
    '[1, 2, ]',
    '(x = 5; x -= 2; x *= 3; x)',
    '(x, y = 1, 2; [y, x])',
    '(x, y = @a; [x, y])',
    '(x = y = 3; x + y)',
    '(x = nil; x ||= 4; x &&= 5; x)',
    '(if @c then 1 else 2 end)',
    '(unless @c then 1 else 2 end)',
    '(x = if @c; 1; end; x)',
    '(1 if @c)',
    '(1 unless @c)',
    '(case @c when /^t(.)/ then $1 when nil, false then 2 end)',
    '(case when @a.empty? then 1 when @c then 2 end)',
    '(begin; 1; rescue ArgumentError => e; 2; end)',
    '(begin; a; ensure; 2; end)',
    '(begin; Integer(a); rescue ArgumentError; 1; ensure; 2; end)',
    '[0o17, 0644, 00, 0_7].sum',
    '@a.each { |x| next if x == 1; break x }',
    '@a.select { |x| x != 1 }.first',
    '@a.\n       first',
    '@a\n  .first # comment\n  .upcase',
    '@c&.upcase',
    '@none&.upcase',
    'defined?(@c)',
    'defined?(@none)',
    '(x = defined? @c; [x, defined? @none\n])',
    '<% if defined? @c -%>x<% end -%>y',
    '<% if defined? @none -%>x<% end -%>y',
    "instance_variables.any? { |iv| iv.to_s.include? 'c' }",
    "instance_variables.any? { |iv| iv.to_s.include? 'none' }",
    '(@mine = nil; instance_variables.any? { |iv| iv == :@mine })',
    '(defined?(String))',
    '(defined? Nowhere::At)',
    'Integer "0x1f"',
    '->(x) { x }.call(1)',
    '(1..3).map { |i| i * 2 }',
    "('a'..'e').to_a + ('X'...'Z').map { |c| c.downcase } + ('9'..'0').to_a + ('!'..'%').first(2)",
    "('a'..'c').each { |c| c }.to_a",
    "('a'..'c').each_slice(2).to_a",
    '(x = 1; [{ x:, y: 2 }, { x: }])',
    '3.times.size rescue 0',
    '1.5 + 2',
    '1_000 + 1',
    'Array(@c).first',
    "scope['c']",
    "scope.lookupvar('c')",
    "has_variable?('c')",
    "scope.to_hash.has_key?('c')",
    '(def f(x) return 1 if x; 2 end; f(nil))',
    '(i = 0; while i < 4; i += 1; next if i == 2; break i * 2 if i == 3; end)',
    '(i = 0; until i > 4 do i += 3 end; i)',
    '[*@a, 3, *nil]',
    '[1].push(*@a)',
    '(x, y = *@a; [y, x])',
    '{}.merge("k" => 1, :j => 2)',
    "'a' \"b\" \\\n 'c'",
    '(x = <<-E.strip; x)\n  text \\d\n  E\n',
    "(x = <<~'E'; x)\n  one\n    two\nE\n",
    '(def f(a, b = a, *c) return a, b, c end; [f(1), f(1, 2), f(1, 2, 3, 4)])',
    '(1.nothing rescue 2)',
    '@a.each_with_index.map { |x, i| [i, x] }',
    '@a.size - 1',
    '@a.size-1',
    '@a.size * 2',
    '(x = 3; x -1)',
    '@c =~ /E/i ? 1 : 0',
    '@c !~ /z/',
    '@c.sub(/t(.)/, "<\\\\1>")',
    "sprintf('%05d|%-4s|%x', 42, 'ab', 255)",
    "'%s-%s' % [1, 'x']",
    '"a" "b"',
  ])('%s', (code) => {
    expectSame(`<%= (${code}).inspect %>`);
    expectSame(`<% x0 = ${code} -%>\n<%= x0.inspect %>`);
    expectSame(`<%= ${code} %>`);
  });
});

describe('a text that only its variable holds is built here', () => {
  it.each([
    "s = ''; s << 'a'; s.concat('b', @c) if @c; s",
    's = "x"; s << "a" << "b"; s.empty? ? 1 : s.length',
    "s = 'x'.dup; @a.each { |x| s << x.to_s }; s",
    "s = ''; @a.each_with_index do |x, i| s << x.to_s << i.to_s unless i == 9; end; s",
    "s = ''; s << 'a'; t = \"<#{s}>\"; s << 'b'; s += 'c' if false; [t, \"#{s}\"]",
    "s = ''; s += 'a'; s << 'b'; s.start_with?('a') && s.include?('ab')",
    '@a.map { |x| t = "#{x}-"; t << \'a\'; t }',
    "i = 0; s = ''; while i < 3 do s << i.to_s; i += 1; end; s",
    "s = nil; s ||= 'q'; case @c when 'text' then s << 'r' else s << 't' end; s.strip rescue s",
    "f = ''; @a.map { |x| t = ''; f.length; t << x.to_s; t }.join(',')",
  ])('%s', (code) => {
    expect(expectSame(`<% r = [1].map { |one| ${code} } -%>\n<%= r.inspect %>`)).not.toBeNull();
  });

  it('does so in methods, and in tags', () => {
    expect(
      expectSame("<% def f(x) s = 'a'; s << x; return s if x == 'r'; s << 'b' end -%>\n<%= f('r') + f('q') %>"),
    ).toBe('araqb');
    expect(expectSame("<% s = '' -%>\n<% @a.each do |x| -%>\n<% s << x.to_s -%>\n<% end -%>\n<%= s %>")).toBe('pq1');
  });

  it.each([
    // Something else holds the text, or may see the change at another time.
    "s = 'a'; t = s; s << 'b'; [s, t]",
    "t = s = 'a'; s << 'b'; t",
    "s = 'a'; l = [s]; s << 'b'; l",
    "s = @c; s << 'b'; s",
    "s = 'a'; @a.map { |x| s << x.to_s }",
    's = "a"; "#{s}#{(s << "b"; 1)}"',
    "s = 'a'; t = (s << 'b'); s << 'c'; t",
    "s = 'a'; s << (s = 'b'; 'c'); s",
    "s = 'a'; s << s",
    "s = 'a'; t = s.to_s; s << 'b'; t",
    "s = 'a'.freeze; s << 'b'",
    "s = 'a'; s << 98; s",
    "s, t = 'a', 'b'; s << 'c'; s",
    "def g(s) s << 'b' end; g('a')",
    "s = 'a'; s.gsub(/a/) { |x| s << 'b'; 'q' }",
  ])('%s is left to Ruby', (code) => {
    expect(both.here(`<% r = [1].map { |one| ${code} } -%>\n<%= r.inspect %>`, values())).toBeNull();
  });
});

describe('what Ruby may read in another way is left to it', () => {
  it.each([
    '@a.size -1',
    '@a.first [0]',
    '@c.upcase (1)',
    '@c.center *[9]',
    '@c ?1:2',
    'x',
    'foo 1',
    'puts 1',
    '`ls`',
    '<<A\nA\n',
    '@@x',
    '$x',
    '->(x) { x }',
    'proc { 1 }',
    '@a.map(&@c)',
    '@a.join(*@a)',
    '!/x/',
    '1 ? 2 :@a',
    '(not { 1 => 2 })',
    'class X; end',
    '@a.map { _1 }',
    'self.inspect',
    'binding',
    'instance_variables',
    'instance_variables.any?',
    '(defined? @c and 1)',
    'Puppet',
    'File.read("x")',
    'Time.now',
    'rand',
    '@c << "x"',
    '@c.upcase!',
    '@a.first.concat("x")',
    '1 / 0',
    'nil + 1',
    '@a.nothing',
    'raise "x"',
    'not (1; 2)',
    '[1\n, 2]',
    '@a\n\n.first',
    '@a.each { |x| break :k [0] }',
    '@a.each { |x| break 1 and 2 }',
    '@a.each_with_index',
    '[1].push(a => 1)',
    'x, y = *@b',
  ])('%s', (code) => {
    expect(both.here(`<%= (${code}).inspect %>`, values())).toBeNull();
  });

  it.each(['<%# coding: latin1 %>a', '<%#-*- coding: utf-8 -*-%>a', '<% if 1 %>', '<% end %>', '<%= ) %>'])(
    '%s',
    (text) => {
      expect(both.here(text, values())).toBeNull();
    },
  );
});
