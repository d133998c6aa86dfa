/**
 * The scripts of tasks that Bolt expects every orchestrator to have. Each reads its standard input:
 * the agent can fail when a task does not. The content of a request lies beside the script, below
 * `PT__installdir`.
 */

/** Writes a file or folder. */
export const UPLOAD_SHELL = `#!/bin/sh
cat > /dev/null
set -e
content="$PT__installdir/bolt_shim/files/content"
if [ "$PT_directory" = true ]; then
  mkdir -p -- "$PT_path"
  gzip -dc < "$content" | tar -xf - -C "$PT_path"
else
  cat -- "$content" > "$PT_path"
  if [ -n "$PT_mode" ]; then chmod -- "$(printf %o "$PT_mode")" "$PT_path"; fi
fi
echo '{"success": true}'
`;

/** The same on Windows, which has tar since Windows 10 and Server 2019. Files get no mode. */
export const UPLOAD_POWERSHELL = `$ErrorActionPreference = 'Stop'
$content = [IO.Path]::Combine($env:PT__installdir, 'bolt_shim', 'files', 'content')
if ($env:PT_directory -eq 'true') {
  New-Item -ItemType Directory -Force -Path $env:PT_path | Out-Null
  & tar.exe -xzf $content -C $env:PT_path
  if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
} else {
  [IO.File]::Copy($content, $env:PT_path, $true)
}
Write-Output '{"success": true}'
`;

/** Prints the version of the Puppet agent; null without one. */
export const VERSION_SHELL = `#!/bin/sh
cat > /dev/null
file=/opt/puppetlabs/puppet/VERSION
if [ -r "$file" ]; then
  printf '{"version": "%s", "source": "%s"}\\n' "$(head -n 1 "$file")" "$file"
elif puppet=$(command -v puppet); then
  printf '{"version": "%s", "source": "%s"}\\n' "$("$puppet" --version)" "$puppet"
else
  echo '{"version": null, "source": null}'
fi
`;

/** The same on Windows. */
export const VERSION_POWERSHELL = `$file = Join-Path $env:ProgramFiles 'Puppet Labs\\Puppet\\VERSION'
if (Test-Path -LiteralPath $file) {
  $version = (Get-Content -LiteralPath $file -TotalCount 1).Trim()
  ConvertTo-Json -Compress @{ version = $version; source = $file }
} else {
  Write-Output '{"version": null, "source": null}'
}
`;

/**
 * Puts the runner that comes with the request in place of the node's, when it runs with the node's
 * Ruby, and starts its service again: actions such as this one go on.
 */
export const RUNNER_SHELL = `#!/bin/sh
cat > /dev/null
new="$PT__installdir/understudy_runner/files/understudy-runner.rb"
program=/opt/understudy-runner/understudy-runner.rb
refuse() {
  printf '{"_error": {"kind": "understudy/no-runner", "msg": "%s", "details": {}}}\\n' "$1"
  exit 1
}
[ -f "$program" ] || refuse "There is no $program"
ruby=/opt/puppetlabs/puppet/bin/ruby
[ -x "$ruby" ] || ruby=$(command -v ruby) || refuse 'There is no Ruby'
before=$("$ruby" --disable=gems "$program" --version)
after=$("$ruby" --disable=gems "$new" --version) || refuse 'The new runner does not start'
printf '{"before": "%s", "after": "%s"}\\n' "$before" "$after"
cmp -s "$new" "$program" && exit 0
cp "$new" "$program.new" && chmod 755 "$program.new" && mv -f "$program.new" "$program" || exit 1
if [ -d /run/systemd/system ]; then systemctl restart --no-block understudy-runner.service
elif [ "$(uname -s)" = Darwin ]; then launchctl kickstart -k system/understudy-runner
fi
`;

/** The same on Windows. The service is started again by a process that outlives it. */
export const RUNNER_POWERSHELL = `$ErrorActionPreference = 'Stop'
$new = [IO.Path]::Combine($env:PT__installdir, 'understudy_runner', 'files', 'understudy-runner.rb')
$program = Join-Path $env:ProgramData 'PuppetLabs\\understudy-runner\\understudy-runner.rb'
$ruby = Join-Path $env:ProgramFiles 'Puppet Labs\\Puppet\\puppet\\bin\\ruby.exe'
$before = & $ruby --disable=gems $program --version
$after = & $ruby --disable=gems $new --version
if ($LASTEXITCODE -ne 0) { throw 'the new runner does not start' }
Copy-Item -Force $new $program
ConvertTo-Json -Compress @{ before = $before; after = $after }
Start-Process powershell -WindowStyle Hidden -ArgumentList '-Command', 'Start-Sleep 2; Restart-Service understudy-runner'
`;

/** Starts the Ruby part of a task with the agent's own Ruby. */
export const RUBY_LAUNCHER = `#!/bin/sh
task=$(basename "$0" .sh)
for ruby in /opt/puppetlabs/puppet/bin/ruby ruby; do
  if command -v "$ruby" > /dev/null 2>&1; then
    exec "$ruby" "$PT__installdir/apply_helpers/files/apply_helpers.rb" "$task"
  fi
done
cat > /dev/null
echo '{"_error": {"kind": "puppetlabs.apply/no-ruby", "msg": "There is no Ruby of a Puppet agent", "details": {}}}'
exit 1
`;

/**
 * Bolt's `apply` on the node, through Puppet's own API: `custom_facts` prints the node's facts,
 * `query_resources` prints resources as they are, `apply_catalog` applies a catalog and prints the
 * report. Puppet's folders are new ones, so that
 * nothing of the node's own agent is used or changed. Puppet prints nothing but to standard error.
 */
export const APPLY_RUBY = `# frozen_string_literal: true

require 'json'
require 'etc'
require 'securerandom'
require 'tmpdir'
require 'puppet'
require 'puppet/configurer'
require 'puppet/module_tool/tar'

def start_puppet(root, modules, settings)
  folders = (Puppet::Settings::REQUIRED_APP_SETTINGS + [:rundir]).flat_map do |name|
    ["--#{name}", File.join(root, name.to_s.delete_suffix('dir'))]
  end
  Puppet.initialize_settings(folders + ['--modulepath', modules])
  Puppet[:report] = false
  Puppet[:default_file_terminus] = :file_server
  settings.each { |name, value| Puppet[name.to_sym] = value }
  Puppet.settings.use(:main)
  Puppet::Util::Log.close_all
end

def load_plugins(environment)
  environment.each_plugin_directory do |folder|
    $LOAD_PATH << folder unless $LOAD_PATH.include?(folder)
  end
end

def find_facts(environment)
  Puppet::Node::Facts.indirection.find(SecureRandom.uuid, environment: environment)
end

def apply(input, environment, noop)
  report = Puppet::Transaction::Report.new
  Puppet[:noop] = noop
  Puppet.override(current_environment: environment, loaders: Puppet::Pops::Loaders.new(environment)) do
    facts = find_facts(environment)
    catalog = Puppet::Resource::Catalog.from_data_hash(input['catalog'])
    catalog.environment = environment.name.to_s
    catalog.environment_instance = environment
    if defined?(Puppet::Pops::Evaluator::DeferredResolver)
      Puppet::Pops::Evaluator::DeferredResolver.resolve_and_replace(facts, catalog)
    end
    Puppet::Configurer.new.run(catalog: catalog.to_ral, report: report, pluginsync: false)
  end
  report
end

def query(wanted)
  found = wanted.flat_map do |text|
    type, title = text.match(/\\A([^\\[]+)\\[(.+)\\]\\z/m)&.captures
    indirection = Puppet::Resource.indirection
    type ? [indirection.find("#{type}/#{title}")] : indirection.search(text)
  end
  { 'resources' => found.map(&:to_data_hash) }
end

input = JSON.parse($stdin.read)
answer = $stdout.dup
$stdout.reopen($stderr)
status = 0
Dir.mktmpdir do |root|
  modules = File.join(root, 'modules')
  Dir.mkdir(modules)
  start_puppet(root, modules, input['apply_settings'] || {})
  plugins = File.join(input['_installdir'], 'apply_helpers', 'files', 'plugins.tar.gz')
  if File.size?(plugins)
    Puppet::ModuleTool::Tar.instance.unpack(plugins, modules, Etc.getpwuid.name)
  end
  environment = Puppet::Node::Environment.create(:production, [modules])
  load_plugins(environment)
  if ARGV.first == 'custom_facts'
    Puppet.override(current_environment: environment) do
      answer.puts(JSON.generate(find_facts(environment).values))
    end
  elsif ARGV.first == 'query_resources'
    Puppet.override(current_environment: environment) do
      answer.puts(JSON.generate(query(input['resources'])))
    end
  else
    report = apply(input, environment, input['_noop'] == true)
    answer.puts(JSON.generate(report.to_data_hash))
    status = report.exit_status == 1 ? 1 : 0
  end
end
exit status
`;
