#!/usr/bin/env ruby
# frozen_string_literal: true

# understudy-runner: has an orchestrator run Puppet, tasks, commands and scripts on this node, as
# pxp-agent does. It connects out to a PCP broker (version 2) with the certificate of the node's
# Puppet agent. It needs Ruby 2.7 or newer and its standard library alone.
#
# There are two kinds of processes. The runner keeps the connection. An action (`--run-action`) is a
# process of its own: it downloads files, runs the program and writes the results into the spool, so
# that it outlives the connection and the runner.

require 'fileutils'
require 'json'
require 'openssl'
require 'rbconfig'
require 'socket'

# Services often have no locale; names of files and outputs are UTF-8 all the same.
LOCALE = Encoding.default_external
Encoding.default_external = Encoding::UTF_8

module UnderstudyRunner
  VERSION = '1.0.0'
  WINDOWS = /mswin|mingw|cygwin/.match?(RbConfig::CONFIG['host_os'])
  PREFIX = 'http://puppetlabs.com/'
  MEBIBYTE = 1024 * 1024
  NOFOLLOW = WINDOWS ? File::BINARY : File::NOFOLLOW

  # A request, or the configuration, asks for something that cannot be done.
  class Refused < StandardError; end

  # There is no connection (any more). `wait` is the time that the broker asked for, in seconds.
  class Disconnected < StandardError
    attr_reader :wait

    def initialize(message, wait = nil)
      super(message)
      @wait = wait
    end
  end

  # Seconds of a clock that nobody sets.
  def self.now; Process.clock_gettime(Process::CLOCK_MONOTONIC); end

  def self.timestamp
    Time.now.utc.strftime('%Y-%m-%dT%H:%M:%S.%6NZ')
  end

  # Lines in a file, which other programs may rename: `reopen` opens its name again.
  class Log
    LEVELS = %w[debug info warning error none].freeze

    def initialize(path, level)
      @path = path
      @level = LEVELS.index(level) or raise Refused, "invalid log level: '#{level}'"
      reopen
    end

    def reopen
      return @io = $stdout if @path == '-'
      opened = File.open(@path, File::WRONLY | File::APPEND | File::CREAT | NOFOLLOW, 0o600)
      @io&.close
      @io = opened
    end

    # A full disk does not end the runner.
    LEVELS.first(4).each_with_index do |name, index|
      define_method(name) do |text|
        line = "#{UnderstudyRunner.timestamp} #{name.upcase} #{text.to_s.scrub.gsub(/[\x00-\x1f\x7f]+/, ' ')}\n"
        @io.syswrite(line) if index >= @level
      rescue SystemCallError, IOError
        nil
      end
    end
  end

  # A file in the form of pxp-agent.conf; Puppet's own settings say what it leaves out.
  class Settings
    HOME = if WINDOWS then File.join(ENV['ProgramData'] || 'C:/ProgramData', 'PuppetLabs/understudy-runner')
           elsif Process.euid != 0 then File.join(Dir.home, '.puppetlabs/opt/understudy-runner')
           elsif File.directory?('/opt/puppetlabs') then '/opt/puppetlabs/understudy-runner'
           else '/var/lib/understudy-runner'
           end
    FILES = [*%w[/etc/puppetlabs/understudy-runner.conf /etc/puppet/understudy-runner.conf], "#{HOME}/runner.conf"].freeze
    PUPPETS = [*%w[/opt/puppetlabs/bin/puppet /usr/local/bin/puppet /usr/bin/puppet],
               "#{ENV['ProgramFiles']}/Puppet Labs/Puppet/bin/puppet.bat"].freeze
    DEFAULTS = {
      'broker-ws-uris' => [], 'primary-uris' => [], 'controller-uris' => [], 'pcp-version' => '2',
      'ssl-key' => '', 'ssl-cert' => '', 'ssl-ca-cert' => '', 'ssl-crl' => '', 'ssl-crl-check' => 'chain',
      'logfile' => '-', 'loglevel' => 'info', 'puppet-bin' => '', 'modules-config-dir' => '',
      'spool-dir' => "#{HOME}/spool", 'spool-dir-purge-ttl' => '14d',
      'task-cache-dir' => "#{HOME}/tasks-cache", 'task-cache-dir-purge-ttl' => '14d',
      'task-cache-size' => 512 * MEBIBYTE, 'max-file-size' => 1024 * MEBIBYTE, 'max-message-size' => 64 * MEBIBYTE,
      'max-actions' => 16, 'max-waiting-actions' => 100, 'action-timeout' => '1d',
      'connection-timeout' => 5, 'ping-interval' => 120, 'allowed-keepalive-timeouts' => 2,
      'task-download-connect-timeout' => 120, 'task-download-timeout' => 1800
    }.freeze
    ALIASES = { 'master-uris' => 'primary-uris', 'master-uri' => 'primary-uris', 'primary-uri' => 'primary-uris',
                'broker-ws-uri' => 'broker-ws-uris' }.freeze
    CERTIFICATES = { 'ssl-key' => 'hostprivkey', 'ssl-cert' => 'hostcert', 'ssl-ca-cert' => 'localcacert',
                     'ssl-crl' => 'hostcrl' }.freeze
    NEEDED = %w[broker-ws-uris primary-uris ssl-key ssl-cert ssl-ca-cert].freeze
    DURATIONS = %w[spool-dir-purge-ttl task-cache-dir-purge-ttl action-timeout].freeze
    TYPES = { Array => 'array of strings', String => 'string', Integer => 'integer' }.freeze
    BROKER_PORT = 8142

    attr_reader :to_h, :ignored

    def initialize(path)
      path ||= FILES.find { |name| File.exist?(name) }
      @to_h = DEFAULTS.dup
      @ignored = []
      read_file(path) if path
      @to_h['puppet-bin'] = find_puppet if self['puppet-bin'].empty?
      ask_puppet if NEEDED.any? { |name| self[name].empty? }
      check
    end

    def [](name); @to_h.fetch(name); end

    # Seconds of a text such as 14d, 3h, 20m or 5s.
    def duration(name)
      match = /\A(\d+)([dhms])\z/.match(self[name]) or raise Refused, "invalid duration string: #{self[name]}"
      match[1].to_i * { 'd' => 86_400, 'h' => 3600, 'm' => 60, 's' => 1 }.fetch(match[2])
    end

    private

    # JSON; lines that begin with # or // are comments.
    def read_file(path)
      parsed = JSON.parse(File.readlines(path, encoding: 'UTF-8').grep_v(%r{\A\s*(#|//)}).join)
      raise Refused, "cannot parse config file: #{path} is not an object" unless parsed.is_a?(Hash)
      parsed.each { |name, value| take(ALIASES.fetch(name, name), value) }
    rescue JSON::ParserError => e
      raise Refused, "cannot parse config file: #{path}: #{e.message}"
    end

    def take(name, value)
      return @ignored << name unless DEFAULTS.key?(name)
      type = DEFAULTS[name].class
      value = [value] if type == Array && value.is_a?(String)
      value = value.to_s if name == 'pcp-version'
      fits = value.is_a?(type) && (type != Array || value.all?(String)) && (type != Integer || value.positive?)
      raise Refused, "field '#{name}' must be of type #{TYPES[type]}" unless fits
      @to_h[name] = value
    end

    def find_puppet
      file = File.join(self['modules-config-dir'], 'pxp-module-puppet.conf')
      named = File.exist?(file) ? JSON.parse(File.read(file))['puppet_bin'].to_s : ''
      named.empty? ? (PUPPETS.find { |name| File.exist?(name) } || PUPPETS.first) : named
    end

    def ask_puppet
      names = CERTIFICATES.values + %w[server serverport server_list certificate_revocation]
      found = PuppetRun.settings(self['puppet-bin'], {}, names)
      CERTIFICATES.each { |ours, theirs| @to_h[ours] = found[theirs].to_s if self[ours].empty? }
      @to_h['ssl-crl-check'] = { 'leaf' => 'leaf', 'false' => 'none' }.fetch(found['certificate_revocation'], 'chain')
      list = found['server_list'].to_s.split(',').map { |one| one.strip.split(':') }
      list = [[found.fetch('server', 'puppet')]] if list.empty?
      urls = list.map { |host, port| "https://#{host}:#{port || found.fetch('serverport', '8140')}" }
      @to_h['primary-uris'] = urls if self['primary-uris'].empty?
      @to_h['broker-ws-uris'] = list.map { |host, _| "wss://#{host}:#{BROKER_PORT}/pcp2/" } if self['broker-ws-uris'].empty?
    rescue SystemCallError => e
      raise Refused, "Puppet's settings cannot be read: #{e.message}"
    end

    def check
      raise Refused, "pcp-version #{self['pcp-version']} is not supported: only 2 is" if self['pcp-version'] != '2'
      raise Refused, 'ping-interval must be greater than 5' if self['ping-interval'] <= 5
      NEEDED.each { |name| raise Refused, "#{name} is needed" if self[name].empty? }
      wrong = self['broker-ws-uris'].grep_v(%r{\Awss://[^/?#\s]+(/pcp2/?)?\z}).first
      raise Refused, "invalid broker-ws-uri: #{wrong}" if wrong
      [*CERTIFICATES.keys, 'spool-dir', 'task-cache-dir'].each do |name|
        raise Refused, "#{name} must be an absolute path" if !self[name].empty? && File.expand_path(self[name]) != self[name]
      end
      DURATIONS.each { |name| duration(name) }
    end
  end

  # Files that only this user may read, in folders that nobody else can exchange.
  module Files
    module_function

    # Makes a folder of mode 0700. Refuses a link, and a folder that others may write to.
    def make_folder(path)
      make_folder(File.dirname(path)) unless File.exist?(File.dirname(path))
      Dir.mkdir(path, 0o700)
      path
    rescue Errno::EEXIST
      found = File.lstat(path)
      raise Refused, "#{path} is not a directory" unless found.directory?
      return path if WINDOWS || (found.uid == Process.euid && (found.mode & 0o022).zero?)
      raise Refused, "#{path} must belong to the user of the runner, and be writable to no other"
    end

    def create(path, mode = 0o600, &block)
      File.open(path, File::WRONLY | File::CREAT | File::TRUNC | NOFOLLOW, mode, binmode: true, &block)
    end

    # The file appears under its name when it is whole.
    def write(path, text)
      create("#{path}.#{Process.pid}.tmp") { |file| file.write(text) }
      File.rename("#{path}.#{Process.pid}.tmp", path)
    end

    # A text in UTF-8; empty without the file.
    def read(path)
      File.open(path, File::RDONLY | NOFOLLOW, binmode: true, &:read).force_encoding(Encoding::UTF_8)
    rescue Errno::ENOENT
      +''
    end

    # A file that other processes see as locked while this one lives; nil when another one has it.
    def lock(path)
      file = File.open(path, File::RDWR | File::CREAT | NOFOLLOW, 0o600)
      file.flock(File::LOCK_EX | File::LOCK_NB) ? file : file.close
    end
  end

  # The results of non-blocking requests, in the layout of pxp-agent: for each transaction a folder
  # with metadata, pid, stdout, stderr and exitcode. `sent` is there when the requester has them.
  class Spool
    ID = /\A[A-Za-z0-9][A-Za-z0-9._-]{0,127}\z/.freeze
    REQUIRED = %w[requester module action transaction_id request_id start status].freeze
    LOST = { 'status' => 'undetermined', 'execution_error' => 'task process is not running, but no output is available' }.freeze

    attr_reader :root

    def initialize(root)
      @root = Files.make_folder(root)
    end

    def path(id, *names)
      raise Refused, "invalid transaction id: #{id[0, 80].inspect}" unless ID.match?(id)
      File.join(@root, id, *names)
    end

    def ids; Dir.children(@root).grep(ID); end

    def known?(id); File.exist?(path(id, 'metadata')); end

    # Whether the process of an action lives: it holds the lock on its file.
    def alive?(id)
      File.open(path(id, 'pid'), File::RDWR) { |file| !file.flock(File::LOCK_EX | File::LOCK_NB) }
    rescue SystemCallError
      false
    end

    # The metadata of an action; when its process ended without a word, that is noted.
    def metadata(id)
      found = parse(id)
      return found if found['status'] != 'running' || alive?(id) || (found = parse(id))['status'] != 'running'
      found = File.exist?(path(id, 'exitcode')) ? Spool.finish(found, path(id)) : found.merge(LOST)
      Files.write(path(id, 'metadata'), JSON.generate(found))
      found
    end

    # The metadata with the end of an action, whose output is in the folder.
    def self.finish(metadata, folder)
      text = Files.read(File.join(folder, 'stdout'))
      ended = metadata.merge('end' => UnderstudyRunner.timestamp, 'status' => 'success', 'results_are_valid' => true)
      return ended if text.valid_encoding? && !text.include?("\0")
      error = "The task executed for the #{label(metadata)} returned invalid UTF-8 on stdout"
      ended.merge('status' => 'failure', 'results_are_valid' => false, 'execution_error' => error)
    end

    def self.label(data)
      kind = data['blocking'] ? 'blocking' : 'non-blocking'
      "#{kind} '#{data['module']} #{data['action']}' request (transaction #{data['transaction_id']})"
    end

    # The bytes of both outputs, with those that were not kept.
    def self.bytes(folder, metadata)
      [metadata['output_bytes'].to_i, *%w[stdout stderr].map { |name| File.size?(File.join(folder, name)).to_i }].max
    end

    # The results of an action that ended, as its response has them.
    def self.results(folder, metadata)
      return JSON.parse(Files.read(File.join(folder, 'stdout'))) if metadata['module'] == 'pxp-module-puppet'
      { 'exitcode' => Files.read(File.join(folder, 'exitcode')).to_i }.merge(outputs(folder))
    end

    def self.outputs(folder)
      %w[stdout stderr].map { |name| [name, Files.read(File.join(folder, name)).scrub] }.reject { |_, text| text.empty? }.to_h
    end

    # The answer to a status query.
    def status(id, metadata)
      error = metadata['execution_error']
      shown = error ? { 'stdout' => Spool.error_text(error) } : {}
      case metadata['status']
      when 'running' then return { 'transaction_id' => id, 'status' => 'running' }
      when 'undetermined' then return { 'transaction_id' => id, 'status' => 'unknown' }.merge(shown)
      end
      exitcode = Files.read(path(id, 'exitcode')).to_i
      status = metadata['status'] == 'success' && exitcode.zero? ? 'success' : 'failure'
      { 'transaction_id' => id, 'exitcode' => exitcode, 'status' => status }.merge(Spool.outputs(path(id)), shown)
    end

    def self.error_text(message)
      JSON.generate('_error' => { 'kind' => 'puppetlabs.pxp-agent/execution-error', 'details' => {}, 'msg' => message })
    end

    # Removes results that began more than `seconds` ago.
    def purge(seconds)
      ids.select { |id| known?(id) }.each do |id|
        found = metadata(id)
        began = Time.utc(*found['start'].scan(/\d+/).first(6).map(&:to_i))
        FileUtils.rm_r(path(id)) if found['status'] != 'running' && Time.now - began > seconds
      rescue Refused, SystemCallError, ArgumentError
        next
      end
    end

    private

    def parse(id)
      parsed = JSON.parse(Files.read(path(id, 'metadata')))
      return parsed if parsed.is_a?(Hash) && REQUIRED.all? { |name| parsed[name].is_a?(String) }
      raise Refused, "invalid action metadata of the transaction #{id}"
    rescue JSON::ParserError
      raise Refused, "invalid JSON in metadata file of the transaction #{id}"
    end
  end

  # Certificates as Puppet's agent has them.
  module Tls
    module_function

    def store(settings)
      store = OpenSSL::X509::Store.new
      blocks(settings['ssl-ca-cert'], 'CERTIFICATE').each { |pem| store.add_cert(OpenSSL::X509::Certificate.new(pem)) }
      return store if settings['ssl-crl'].empty? || settings['ssl-crl-check'] == 'none'
      blocks(settings['ssl-crl'], 'X509 CRL').each { |pem| store.add_crl(OpenSSL::X509::CRL.new(pem)) }
      chain = settings['ssl-crl-check'] == 'leaf' ? 0 : OpenSSL::X509::V_FLAG_CRL_CHECK_ALL
      store.flags = OpenSSL::X509::V_FLAG_CRL_CHECK | chain
      store
    end

    def blocks(path, kind)
      found = File.binread(path).scan(/-----BEGIN #{kind}-----.+?-----END #{kind}-----/m)
      found.empty? ? raise(Refused, "#{path} has no #{kind}") : found
    end

    # Sets what contexts and HTTP clients have in common.
    def prepare(client, settings)
      client.min_version = OpenSSL::SSL::TLS1_2_VERSION
      client.verify_mode = OpenSSL::SSL::VERIFY_PEER
      client.cert_store = store(settings)
      client.cert = OpenSSL::X509::Certificate.new(File.binread(settings['ssl-cert']))
      client.key = OpenSSL::PKey.read(File.binread(settings['ssl-key']), '')
      client
    end
  end

  # Files of tasks and scripts by their digest: CACHE/SHA256/FILENAME. They go after a time, and the
  # oldest ones when there are too many bytes.
  class Cache
    ATTEMPTS = 5
    FAILURES = [Refused, SystemCallError, IOError, SocketError, OpenSSL::SSL::SSLError].freeze

    def initialize(settings)
      @settings = settings
      @root = Files.make_folder(settings['task-cache-dir'])
    end

    # Whether a name is that of a file, and leads to no other folder.
    def self.name?(name)
      !['', '.', '..'].include?(name) && !name.match?(WINDOWS ? %r{[/\\:\0]} : %r{[/\0]})
    end

    # Returns the path of a file whose digest is right; downloads it when it is not there.
    def fetch(file)
      name = File.basename(file['filename'])
      raise Refused, "Invalid filename: #{file['filename'].inspect}" unless Cache.name?(name)
      folder = folder_of(file)
      (1..ATTEMPTS).each do |attempt|
        return download(file, folder, File.join(folder, name))
      rescue Refused, SystemCallError => e
        raise Refused, "Failed to download file with: #{e.message}" if attempt == ATTEMPTS
        sleep(2**(attempt - 1))
      end
    end

    # Puts a file at `destination`, which need not lie in the cache.
    def download(file, folder, destination)
      return destination if File.file?(destination) && digest(destination) == file['sha256'].downcase
      name = File.basename(destination)
      temporary = File.join(folder, "temp_file_#{Process.pid}_#{rand(2**64).to_s(16)}")
      request(file['uri'], temporary, name)
      right = digest(temporary) == file['sha256'].downcase
      raise Refused, "The downloaded file #{name.inspect} has a SHA that differs from the provided SHA" unless right
      raise Refused, "Destination #{destination.inspect} is a directory" if File.directory?(destination)
      FileUtils.mv(temporary, destination)
      destination
    ensure
      FileUtils.rm_f(temporary) if temporary
    end

    def folder_of(file)
      raise Refused, "Invalid sha256: #{file['sha256'][0, 80].inspect}" unless /\A\h{64}\z/.match?(file['sha256'])
      folder = Files.make_folder(File.join(@root, file['sha256'].downcase))
      File.utime(nil, nil, folder)
      folder
    end

    def purge(seconds, most_bytes)
      found = Dir.children(@root).map { |name| File.join(@root, name) }.map { |path| [File.lstat(path).mtime, path] }
      sum = 0
      found.sort_by(&:first).reverse_each do |time, path|
        sum += Dir.glob(File.join(path, '*')).sum { |name| File.lstat(name).size }
        age = Time.now - time
        FileUtils.rm_r(path) if age > seconds || (sum > most_bytes && age > 60)
      end
    rescue Errno::ENOENT
      nil
    end

    private

    def digest(path)
      sum = OpenSSL::Digest.new('SHA256')
      File.open(path, 'rb') { |io| sum << io.readpartial(65_536) until io.eof? }
      sum.hexdigest
    end

    # Asks one server after the other.
    def request(uri, temporary, name)
      raise Refused, 'Cannot download file. No master-uris were provided' if @settings['primary-uris'].empty?
      message = ''
      @settings['primary-uris'].each do |server|
        return get("#{server.chomp('/')}#{endpoint(uri)}", temporary)
      rescue *FAILURES => e
        message = e.message
      end
      raise Refused, "Downloading file #{name.inspect} failed after trying all the available master-uris. " \
                     "Most recent error message: #{message}"
    end

    def endpoint(uri)
      escape = ->(text, other) { text.to_s.b.gsub(other) { |byte| format('%%%02X', byte.ord) } }
      path = escape.call(uri['path'], %r{[^A-Za-z0-9\-._~/%!$&'()*+,;=:@?]}n)
      params = uri['params'].map { |pair| pair.map { |text| escape.call(text, /[^A-Za-z0-9\-._~]/n) }.join('=') }
      params.empty? ? path : "#{path}?#{params.join('&')}"
    end

    def get(url, temporary)
      require 'net/http'
      address = URI.parse(url)
      raise Refused, "#{url} is not an https URL" unless address.is_a?(URI::HTTPS)
      http = Tls.prepare(Net::HTTP.new(address.host, address.port, nil), @settings)
      http.use_ssl = true
      http.max_retries = 0
      http.open_timeout = http.read_timeout = @settings['task-download-connect-timeout']
      headers = { 'Accept' => '*/*', 'Accept-Encoding' => 'identity' }
      Timeout.timeout(@settings['task-download-timeout'], Refused, "#{url} took too long") do
        http.start { http.request_get(address.request_uri, headers) { |answer| keep(answer, url, temporary) } }
      end
    rescue Timeout::Error => e
      raise Refused, "#{url}: #{e.message}"
    end

    def keep(answer, url, temporary)
      refusal = "#{url} returned a response with HTTP status #{answer.code}. Response body: "
      raise Refused, refusal + answer.read_body.to_s[0, 1000].scrub if answer.code != '200'
      room = @settings['max-file-size']
      Files.create(temporary, 0o700) do |file|
        answer.read_body do |part|
          room -= part.bytesize
          raise Refused, "#{url} is larger than max-file-size #{@settings['max-file-size']}" if room.negative?
          file.write(part)
        end
      end
    end
  end

  # A Puppet run and its results, with the flags, errors and texts of pxp-module-puppet.
  class PuppetRun
    ALWAYS = %w[--onetime --no-daemonize --verbose].freeze
    ALLOWED = %w[
      color configtimeout debug disable_warnings environment evaltrace filetimeout graph http_connect_timeout http_debug
      http_keepalive_timeout http_read_timeout log_level noop ordering pluginsync show_diff skip_tags splay
      strict_environment_mode tags trace use_cached_catalog usecacheonfailure waitforcert
    ].freeze
    PATHS = %w[lastrunreport agent_disabled_lockfile agent_catalog_run_lockfile].freeze
    UNKNOWN = { 'time' => 'unknown', 'transaction_uuid' => 'unknown', 'environment' => 'unknown', 'status' => 'unknown',
                'metrics' => {} }.freeze
    LOCKED_SECONDS = 600

    # Puppet's settings by their names.
    def self.settings(puppet, variables, names)
      printed = IO.popen(variables, [puppet, 'config', 'print', '--section', 'agent', *names], err: File::NULL, &:read)
      printed.scrub.lines.map { |line| line.chomp.split(' = ', 2) }.select { |pair| pair.size == 2 }.to_h
    end

    def initialize(puppet, params)
      @puppet = puppet
      @params = params
    end

    def run
      @flags = check_flags
      return failure(-1, 'no_puppet_bin', "Puppet executable '#{@puppet}' does not exist") unless File.exist?(@puppet)
      @paths = PuppetRun.settings(@puppet, variables, PATHS)
      @report = @paths['lastrunreport'].to_s
      return failure(-1, 'no_last_run_report', 'could not find the location of the last run report') if @report.empty?
      attempt(false) || (wait_for_lock && attempt(true))
    rescue Refused => e
      failure(-1, 'invalid_json', e.message)
    rescue SystemCallError
      failure(-1, 'agent_failed_to_start', 'Failed to start Puppet agent')
    end

    private

    def check_flags
      flags = @params['flags'].map(&:strip).each do |flag|
        json = 'The json received on STDIN'
        raise Refused, "#{json} contained characters not present in valid flags: #{flag}" if flag !~ /\A[\w:,.\-]+\z/
        next unless flag.start_with?('--')
        name = flag.sub(/\A--(no-)?/, '')
        overrides = %w[onetime daemonize verbose].include?(name)
        raise Refused, "#{json} overrides a default setting with: #{flag}" if overrides && !ALWAYS.include?(flag)
        raise Refused, "#{json} included a non-permitted flag: #{flag}" unless overrides || ALLOWED.include?(name)
      end
      (flags | ALWAYS) + (@params.key?('job') ? ['--job-id', @params['job']] : [])
    end

    # The results of a run; nil when another run holds the lock, and this is not the last attempt.
    def attempt(is_last)
      before = File.exist?(@report) ? File.mtime(@report) : nil
      options = { in: File::NULL, out: File::NULL, err: File::NULL, chdir: WINDOWS ? Dir.pwd : '/' }
      _, status = Process.wait2(Process.spawn(variables, @puppet, 'agent', *@flags, options))
      code = status.exitstatus || status.termsig
      return failure(code, 'agent_disabled', 'Puppet agent is disabled') if code != 0 && file?('agent_disabled_lockfile')
      return read_report(code, before) if code.zero? || !file?('agent_catalog_run_lockfile')
      is_last ? failure(code, 'agent_locked', 'Puppet agent run is already in progress') : nil
    end

    def wait_for_lock
      limit = UnderstudyRunner.now + LOCKED_SECONDS
      sleep(0.5) while file?('agent_catalog_run_lockfile') && UnderstudyRunner.now < limit
      true
    end

    def file?(name); File.exist?(@paths[name].to_s); end

    # Puppet::Util::Execution, with which pxp-agent starts Puppet, takes the user's variables away.
    def variables
      require 'etc'
      user = WINDOWS || Process.euid.zero? ? nil : Etc.getpwuid(Process.euid)
      ascii = LOCALE == Encoding::US_ASCII ? { 'RUBYOPT' => "#{ENV['RUBYOPT']} -EUTF-8" } : {}
      { 'HOME' => user&.dir, 'USER' => user&.name, 'LOGNAME' => user&.name }.merge(ascii)
    end

    def read_report(code, before)
      return failure(code, 'no_last_run_report', "#{@report} doesn't exist") unless File.exist?(@report)
      return failure(code, 'no_last_run_report', 'The Puppet run failed in an unexpected way') if File.mtime(@report) == before
      report = parse_report
      metrics = report['metrics'].fetch('resources', {}).fetch('values', {}).map { |name, _, value| [name, value] }.to_h
      failed = code.zero? ? nil : failure(code, 'agent_exit_non_zero', 'Puppet agent exited with a non 0 exitcode')
      (failed || result(code)).merge(report.slice('time', 'transaction_uuid', 'environment', 'status'), 'metrics' => metrics)
    rescue StandardError, SyntaxError => e
      failure(code, 'invalid_last_run_report', "#{@report} could not be loaded: #{e.message}")
    end

    # Objects of Puppet become plain values.
    def parse_report
      require 'yaml'
      root = YAML.parse(File.read(@report, encoding: 'UTF-8')).root
      root.each { |node| node.tag = nil if node.respond_to?(:tag=) }
      root.to_ruby
    end

    def result(code); UNKNOWN.merge('exitcode' => code, 'version' => 1); end

    def failure(code, type, message)
      result(code).merge('error_type' => type, 'error' => message)
    end
  end

  # One request in a process of its own, which gets its order on standard input.
  class Action
    POWERSHELL = %w[powershell.exe -NoProfile -NonInteractive -NoLogo -ExecutionPolicy Bypass].freeze

    def self.main
      Process.setsid unless WINDOWS
      new(JSON.parse($stdin.binmode.read.force_encoding(Encoding::UTF_8))).run
    end

    def initialize(order)
      @settings, @folder, @params, @metadata = order.values_at('settings', 'folder', 'params', 'metadata')
    end

    def run
      return unless claim
      record(@metadata)
      exitcode = in_turn { perform }
      Files.write(at('exitcode'), "#{exitcode}\n")
      record(Spool.finish(@metadata, @folder))
    rescue StandardError, SyntaxError => e
      error = "Failed to execute the task for the #{Spool.label(@metadata)}. " \
              "#{e.is_a?(Refused) ? 'Error' : 'Unexpected error'}: #{e.message.scrub}"
      record(@metadata.merge('status' => 'failure', 'results_are_valid' => false, 'execution_error' => error))
    ensure
      FileUtils.rm_rf(@installed) if @installed
    end

    private

    def at(name); File.join(@folder, name); end

    def record(metadata)
      Files.write(at('metadata'), JSON.generate(metadata))
    end

    # Holds a lock for as long as the process lives. False when another process had the transaction.
    def claim
      own = at("pid.#{Process.pid}")
      @lock = Files.lock(own)
      @lock.syswrite("#{Process.pid}\n")
      File.link(own, at('pid'))
      true
    rescue Errno::EEXIST
      false
    ensure
      FileUtils.rm_f(own)
    end

    # Waits for one of the slots for actions at the same time.
    def in_turn
      slots = Files.make_folder(File.join(File.dirname(@folder), '.slots'))
      loop do
        @settings['max-actions'].times do |number|
          return yield if (@slot = Files.lock(File.join(slots, number.to_s)))
        end
        sleep(0.5)
      end
    end

    def perform
      case @metadata['module']
      when 'task' then run_task
      when 'command' then run_command
      when 'script' then execute(interpreted(Cache.new(@settings).fetch(@params['script'])) + @params['arguments'])
      when 'file' then download_files
      else run_puppet
      end
    end

    def run_puppet
      results = PuppetRun.new(@settings['puppet-bin'], @params).run
      Files.write(at('stdout'), JSON.generate(results))
      results.key?('error') ? 1 : 0
    end

    def run_command
      return execute([*POWERSHELL, '-Command', @params['command']]) if WINDOWS
      require 'etc'
      execute([Etc.getpwuid(Process.uid).shell, '-c', @params['command']])
    end

    def download_files
      cache = Cache.new(@settings)
      @params['files'].each do |file|
        path = file['destination']
        raise Refused, "Destination #{path.inspect} is not an absolute path" if File.expand_path(path) != path.chomp('/')
        case file['kind']
        when 'file'
          Files.make_folder(File.dirname(path)) unless File.exist?(File.dirname(path))
          cache.download(file, cache.folder_of(file), path)
        when 'directory'
          Files.make_folder(path) unless File.exist?(path)
          raise Refused, "Destination #{path.inspect} already exists and is not a directory!" unless File.directory?(path)
        when 'symlink'
          File.symlink(file['link_source'], path) unless File.symlink?(path) || File.exist?(path)
          raise Refused, "Destination #{path.inspect} already exists and is not a symlink!" unless File.symlink?(path)
        else raise Refused, "Not a valid file type! #{file['kind']}"
        end
      end
      Files.write(at('stdout'), 'downloaded')
      0
    end

    # Without metadata, `files` are those of the request.
    def run_task
      about = @params['metadata'] || @params
      chosen = choose_implementation(about)
      cache = Cache.new(@settings)
      program = cache.fetch(find_file(chosen['name'], 'requested by implementation'))
      method = chosen['input_method'] || about['input_method'] || (program.end_with?('.ps1') ? 'powershell' : 'both')
      raise Refused, "unsupported task input method: #{method}" unless %w[stdin environment powershell both].include?(method)
      extra = expand((@params['metadata'] ? about['files'].to_a : []) + chosen['files'].to_a)
      program = install(cache, extra, program) unless extra.empty?
      input = @params['input'].merge({ '_task' => @params['task'], '_installdir' => @installed }.compact)
      variables = input.map { |name, value| ["PT_#{name}", value.is_a?(String) ? value : JSON.generate(value)] }.to_h
      execute(method == 'powershell' ? powershell(program) : interpreted(program),
              %w[both environment].include?(method) ? variables : {}, method == 'environment' ? '' : JSON.generate(input))
    end

    def choose_implementation(about)
      features = ['puppet-agent', WINDOWS ? 'powershell' : 'shell', *about['features']].uniq.sort
      all = about['implementations'].to_a
      all.empty? ? {} : all.find { |one| (one['requirements'].to_a - features).empty? } or
        raise Refused, "no implementations match supported features: #{features.join(', ')}"
    end

    def find_file(name, what)
      return @params['files'].first if name.nil?
      @params['files'].find { |file| file['filename'] == name } or raise Refused, "'#{name}' file #{what} not found"
    end

    def expand(names)
      all = @params['files'].map { |file| file['filename'] }
      names.flat_map { |name| name.end_with?('/') ? all.select { |one| one.start_with?(name) } : [name] }.uniq
    end

    # Lays files out as modules, in a folder that goes with the run. Returns the program in it.
    def install(cache, names, program)
      @installed = Files.make_folder(at("temp_task_#{rand(2**64).to_s(16)}"))
      names.each { |name| place(cache.fetch(find_file(name, 'requested as additional task dependency')), name) }
      place(program, "#{@params['task'].split(':').first}/tasks/#{File.basename(program)}")
    end

    def place(source, name)
      raise Refused, "Invalid filename: #{name.inspect}" unless name.split('/', -1).all? { |part| Cache.name?(part) }
      target = File.join(@installed, name)
      Files.make_folder(File.dirname(target))
      Files.create(target, 0o700) { |io| IO.copy_stream(source, io) }
      target
    end

    # On Windows the name says the interpreter; elsewhere the first line of the program does.
    def interpreted(program)
      kinds = { '.rb' => [RbConfig.ruby], '.pp' => [@settings['puppet-bin'], 'apply'], '.ps1' => [*POWERSHELL, '-File'] }
      [*(WINDOWS ? kinds[File.extname(program)] : []), program]
    end

    # Passes those parameters that the script declares.
    def powershell(program)
      quoted = "'#{program.gsub("'", "''")}'"
      [*POWERSHELL, '-Command', "$k=(Get-Command #{quoted}).Parameters.Keys; $p=@{}; (($input | Out-String) | " \
        'ConvertFrom-Json).PSObject.Properties | % { if ($k -contains $_.Name) { $p[$_.Name]=$_.Value } }; ' \
        "& #{quoted} @p; exit $LASTEXITCODE"]
    end

    # Runs a program; its output goes to the spool. Returns the exit code, or the signal's number.
    def execute(command, variables = {}, input = '')
      stdin, stdout, stderr = Array.new(3) { IO.pipe(binmode: true) }
      options = { in: stdin[0], out: stdout[1], err: stderr[1], chdir: WINDOWS ? @folder : '/',
                  (WINDOWS ? :new_pgroup : :pgroup) => true }
      pid = Process.spawn(variables, [command[0], command[0]], *command.drop(1), options)
      [stdin[0], stdout[1], stderr[1]].each(&:close)
      Thread.new { feed(stdin[1], input) }
      outputs = { 'stdout' => stdout[0], 'stderr' => stderr[0] }.map { |name, io| Thread.new { drain(io, name) } }
      status = wait_for(pid)
      @metadata = @metadata.merge('output_bytes' => outputs.map(&:value).max)
      text = "The action did not end within #{@settings['action-seconds']} seconds.\n"
      File.write(at('stderr'), text, mode: 'a') if @is_late
      status.exitstatus || status.termsig
    rescue SystemCallError => e
      Files.write(at('stderr'), "Executable '#{command[0]}' failed to run: #{e.message}")
      127
    end

    # A program need not read its input.
    def feed(io, input)
      io.write(input)
    rescue Errno::EPIPE
      nil
    ensure
      io.close
    end

    # Keeps as much as a message may have; returns the bytes of all. Children of a program that was
    # stopped may still hold its pipes.
    def drain(io, name)
      size = 0
      Files.create(at(name)) do |file|
        while (part = io.read_nonblock(65_536, exception: false))
          break if part == :wait_readable && @has_ended_late
          next io.wait_readable(1) if part == :wait_readable
          room = @settings['max-message-size'] - size
          file.write(part.byteslice(0, room)) if room.positive?
          size += part.bytesize
        end
      end
      size
    end

    def wait_for(pid)
      waiter = Process.detach(pid)
      return waiter.value if waiter.join(@settings['action-seconds'])
      @is_late = true
      # The group has the program's children, too.
      %w[TERM KILL].each do |signal|
        Process.kill(signal, WINDOWS ? pid : -pid)
        waiter.join(10)
      rescue Errno::ESRCH
        nil
      end
      @has_ended_late = true
      waiter.value
    end
  end

  # A WebSocket over TLS to a broker.
  class Link
    GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
    CHUNK = 65_536

    attr_reader :since

    def initialize(uri, settings)
      @settings = settings
      @deadline = UnderstudyRunner.now + settings['connection-timeout']
      @in = String.new(encoding: Encoding::BINARY)
      @out = []
      host, port = uri[%r{\Awss://([^/]+)}, 1].match(/\A\[?(.+?)\]?(?::(\d+))?\z/).captures
      connect(host, port || Settings::BROKER_PORT)
      upgrade("#{host.include?(':') ? "[#{host}]" : host}:#{port || Settings::BROKER_PORT}")
      @since = UnderstudyRunner.now
    rescue *Cache::FAILURES, OpenSSL::OpenSSLError => e
      close
      raise Disconnected, e.message
    end

    # The name in the subject of the certificate.
    def certname
      @context.cert.subject.to_a.assoc('CN').to_a[1] or raise Disconnected, 'the certificate has no common name'
    end

    def io; @ssl.to_io; end

    def pending?; !@out.empty?; end

    # Yields the kind and the text of each message that came; raises Disconnected at the end.
    def receive(&block)
      nil while frame(&block)
      while (part = @ssl.read_nonblock(CHUNK, exception: false))
        return if part.is_a?(Symbol)
        @in << part
        nil while frame(&block)
      end
      raise Disconnected, 'the broker closed the connection'
    rescue *Cache::FAILURES => e
      raise Disconnected, e.message
    end

    # A large text is masked as it leaves, so that memory has it once.
    def send_frame(opcode, text)
      size = text.bytesize
      length = size < 126 ? [0x80 | size].pack('C') : size < 65_536 ? [0xfe, size].pack('Cn') : [0xff, size].pack('CQ>')
      key = OpenSSL::Random.random_bytes(4)
      @out << [[0x80 | opcode].pack('C') + length + key, 0, 0] << [text, 0, key.unpack1('N')]
      flush
    end

    def flush
      while (entry = @out.first)
        @part ||= mask(entry)
        count = @ssl.write_nonblock(@part, exception: false)
        return if count.is_a?(Symbol)
        @part = count < @part.bytesize ? @part.byteslice(count..-1) : nil
        @out.shift if @part.nil? && entry[1] >= entry[0].bytesize
      end
    rescue *Cache::FAILURES => e
      raise Disconnected, e.message
    end

    def close(code = nil, reason = '')
      send_frame(8, [code].pack('n') + reason) if code
    rescue Disconnected
      nil
    ensure
      (@ssl || @tcp)&.close
    end

    private

    # The next part of a text, masked.
    def mask(entry)
      text, start, key = entry
      part = text.byteslice(start, CHUNK).b
      entry[1] += CHUNK
      (part + "\0" * (-part.bytesize % 4)).unpack('N*').map { |word| word ^ key }.pack('N*').byteslice(0, part.bytesize)
    end

    def connect(host, port)
      @tcp = Socket.tcp(host, port, connect_timeout: @settings['connection-timeout'])
      @context = Tls.prepare(OpenSSL::SSL::SSLContext.new, @settings)
      @ssl = OpenSSL::SSL::SSLSocket.new(@tcp, @context)
      @ssl.sync_close = true
      @ssl.hostname = host unless host.match?(/\A[\d.]+\z|:/)
      patiently { @ssl.connect_nonblock(exception: false) }
      @ssl.post_connection_check(host)
    end

    # Repeats what has to wait for the other side, until the deadline.
    def patiently
      while (answer = yield).is_a?(Symbol)
        wait = [@deadline - UnderstudyRunner.now, 0].max
        lists = answer == :wait_readable ? [[@tcp], nil] : [nil, [@tcp]]
        raise Refused, 'the broker does not answer' unless IO.select(*lists, nil, wait)
      end
      answer
    end

    def upgrade(host)
      key = [OpenSSL::Random.random_bytes(16)].pack('m0')
      @ssl.write("GET /pcp2/agent HTTP/1.1\r\nHost: #{host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" \
                 "Sec-WebSocket-Key: #{key}\r\nSec-WebSocket-Version: 13\r\nUser-Agent: understudy-runner/#{VERSION}\r\n\r\n")
      until (found = @in.index("\r\n\r\n"))
        raise Refused, 'the answer to the upgrade is too long' if @in.bytesize > 16_384
        @in << (patiently { @ssl.read_nonblock(CHUNK, exception: false) } || raise(EOFError, 'the broker closed the connection'))
      end
      head = @in.slice!(0, found + 4)
      status = head[%r{\AHTTP/1\.1 (\d{3})}, 1]
      wait = head[/^retry-after: *(\d{1,4})\r/i, 1]
      raise Disconnected.new("the broker answered with status #{status}", wait && [wait.to_i, 300].min) if status != '101'
      expected = [OpenSSL::Digest.digest('SHA1', key + GUID)].pack('m0')
      raise Refused, 'the broker speaks no WebSocket' if head[/^sec-websocket-accept: *(\S+)\r/i, 1] != expected
    end

    # Takes a frame from what was read; nil when it is not whole yet.
    def frame(&block)
      first, second = @in.unpack('CC')
      return nil if second.nil?
      raise Disconnected, 'the broker sent an invalid frame' if (first & 0x70).positive? || second > 0x7f
      start = { 126 => 4, 127 => 10 }.fetch(second, 2)
      return nil if @in.bytesize < start
      size = start == 2 ? second : @in.unpack1(start == 4 ? '@2n' : '@2Q>')
      refuse_size(size) if size + @message.to_s.bytesize > @settings['max-message-size']
      return nil if @in.bytesize < start + size
      payload = @in.byteslice(start, size)
      @in = @in.byteslice(start + size..-1)
      take(first & 0x0f, payload, first > 0x7f, &block)
      true
    end

    def refuse_size(size)
      close(1009, 'Message too large.')
      raise Disconnected, "the broker sent a message of #{size} bytes"
    end

    def take(opcode, payload, is_last)
      case opcode
      when 0, 1, 2
        @message = opcode.zero? ? @message.to_s + payload : payload
        return unless is_last
        text, @message = @message, nil
        yield :text, text.force_encoding(Encoding::UTF_8)
      when 8
        send_frame(8, payload)
        reason = [payload.unpack1('n'), payload.byteslice(2..-1)].join(' ').strip
        raise Disconnected, "the broker closed the connection: #{reason.scrub}"
      when 9 then send_frame(10, payload)
      when 10 then yield :pong, payload
      end
    end
  end

  # The forms of the parameters of each action. A name that ends with ? may be missing.
  module Forms
    FILE = { 'filename' => String, 'uri' => { 'path' => String, 'params' => Hash }, 'sha256' => String }.freeze
    IMPLEMENTATION = { 'name' => String, 'requirements?' => [String], 'files?' => [String], 'input_method?' => String }.freeze
    METADATA = { 'input_method?' => String, 'implementations?' => [IMPLEMENTATION], 'files?' => [String],
                 'features?' => [String] }.freeze
    DOWNLOAD = FILE.reject { |name| name == 'filename' }.merge('destination' => String, 'link_source' => String,
                                                               'kind' => String).freeze
    ALL = {
      'ping ping' => { 'sender_timestamp?' => String },
      'echo echo' => { 'argument' => String },
      'status query' => { 'transaction_id' => String },
      'task run' => { 'task' => String, 'files' => [FILE], 'input' => Hash, 'metadata?' => METADATA,
                      'input_method?' => String, 'features?' => [String] },
      'command run' => { 'command' => String },
      'script run' => { 'script' => FILE, 'arguments' => [String] },
      'file download' => { 'files' => [DOWNLOAD] },
      'pxp-module-puppet run' => { 'flags' => [String], 'job?' => String }
    }.freeze
    REQUEST = { 'transaction_id' => String, 'module' => String, 'action' => String, 'params?' => Hash }.freeze

    def self.fits?(form, value)
      return value.is_a?(form) if form.is_a?(Class)
      return value.is_a?(Array) && value.all? { |one| fits?(form[0], one) } if form.is_a?(Array)
      value.is_a?(Hash) && form.all? do |name, inner|
        key = name.chomp('?')
        value.key?(key) ? fits?(inner, value[key]) : name.end_with?('?')
      end
    end
  end

  # Keeps a connection to a broker, answers requests, and sends the results of actions.
  class Runner
    LADDER = [2, 4, 8, 16, 32].freeze
    STEADY = 10

    def initialize(settings, log)
      @settings = settings
      @log = log
      @spool = Spool.new(settings['spool-dir'])
      @cache = Cache.new(settings)
      @wake, @waker = IO.pipe
      @ended = Queue.new
      @actions, @confirming, @sent = {}, {}, {}
      @adopted, @unsent = [], []
      @failures = 0
      @uris = settings['broker-ws-uris'].dup
      @retry_at = @purge_at = UnderstudyRunner.now
    end

    # Two runners with one spool would send each result twice.
    def run
      @lock = Files.lock(File.join(@spool.root, '.lock')) or raise Refused, "another runner uses #{@spool.root}"
      %w[TERM INT].each { |name| trap(name) { stop } }
      (WINDOWS ? [] : %w[HUP USR2]).each { |name| trap(name) { (@reopening = true) && wake } }
      adopt
      until @stopping
        purge if UnderstudyRunner.now >= @purge_at
        connect if @link.nil? && UnderstudyRunner.now >= @retry_at
        wait
      end
      @link&.close(1001, 'stopping')
      @log.info('stopped')
    end

    def stop
      @stopping = true
      wake
    end

    private

    def wake; @waker.write_nonblock('.', exception: false); end

    # Goes on with the actions of a runner before this one, and forgets what never began.
    def adopt
      FileUtils.rm_rf(Dir.glob(File.join(@spool.root, '.blocking-*')))
      @spool.ids.each do |id|
        next(@spool.alive?(id) || FileUtils.rm_r(@spool.path(id))) unless @spool.known?(id)
        found = @spool.metadata(id)
        @adopted << id if found['status'] == 'running'
        @unsent << id if outcome?(found) && !File.exist?(@spool.path(id, 'sent'))
      rescue Refused, SystemCallError => e
        @log.warning("#{id}: #{e.message}")
      end
      @log.info("#{@adopted.size} actions still run, #{@unsent.size} results are to be sent")
    end

    # Whether metadata are of an outcome that the requester wants to have.
    def outcome?(metadata)
      metadata['notify_outcome'] && %w[success failure].include?(metadata['status'])
    end

    def purge
      @purge_at = UnderstudyRunner.now + 3600
      @spool.purge(@settings.duration('spool-dir-purge-ttl'))
      @cache.purge(@settings.duration('task-cache-dir-purge-ttl'), @settings['task-cache-size'])
    end

    def connect
      @link = Link.new(@uris.first, @settings)
      @own = "pcp://#{@link.certname}/agent"
      @missed = @pings = 0
      @confirming.clear
      @ping_at = UnderstudyRunner.now + @settings['ping-interval']
      @log.info("connected to #{@uris.first} as #{@own}")
      @unsent.dup.each { |id| send_outcome(id) }
      read
    rescue Disconnected => e
      lose(e)
    end

    # A broker that ends a long connection is asked again soon; one that refuses, ever later. With
    # several brokers, each is asked once before the runner waits.
    def lose(error)
      steady = @link && UnderstudyRunner.now - @link.since >= STEADY
      @link&.close
      @link = nil
      @uris.rotate! unless steady
      @failures = steady ? 0 : @failures + 1
      rounds, others = @failures.divmod(@uris.size)
      wait = @failures.zero? || others.positive? ? 0.2 + rand * 1.8 : LADDER[[rounds, LADDER.size].min - 1] * (0.75 + rand / 2)
      wait = error.wait * (1 + rand / 2) if error.wait
      @retry_at = UnderstudyRunner.now + wait
      @log.warning("#{error.message}; the next attempt is in #{wait.round(1)} s")
    end

    # Waits for what comes next. Memory of large messages is given back before.
    def wait
      @littered = GC.start if @littered && !@link&.pending?
      times = [@purge_at, @link ? @ping_at : @retry_at, *(@adopted.empty? ? nil : UnderstudyRunner.now + 1)]
      writing = @link&.pending? ? [@link.io] : nil
      IO.select([@wake, @link&.io].compact, writing, nil, [times.min - UnderstudyRunner.now, 0].max)
      @wake.read_nonblock(100, exception: false)
      reopen if @reopening
      take_ended
      return if @link.nil?
      read
      @link.flush
      ping if UnderstudyRunner.now >= @ping_at
    rescue Disconnected => e
      lose(e)
    end

    def read
      @link.receive { |kind, text| kind == :pong ? confirm(text) : take(text) }
    end

    def reopen
      @reopening = false
      @log.reopen
    rescue SystemCallError => e
      @log.error("the log cannot be opened again: #{e.message}")
    end

    def ping
      if @missed > @settings['allowed-keepalive-timeouts']
        @link.close(1000, 'consecutive onPongTimeouts')
        raise Disconnected, 'the broker answers no pings'
      end
      @missed += 1
      @ping_at = UnderstudyRunner.now + @settings['ping-interval']
      send_ping
    end

    def send_ping; @link.send_frame(9, (@pings += 1).to_s); end

    # The broker has read all that was sent before the ping.
    def confirm(text)
      @missed = 0
      @confirming.select { |_, ping| ping <= text.to_i }.each_key do |id|
        @confirming.delete(id)
        @unsent.delete(id)
        Files.write(@spool.path(id, 'sent'), '')
      end
    rescue SystemCallError => e
      @log.warning(e.message)
    end

    def take(text)
      message = JSON.parse(text)
      type = message.fetch('message_type').delete_prefix(PREFIX)
      case type
      when 'rpc_blocking_request', 'rpc_non_blocking_request' then take_request(message, type == 'rpc_blocking_request')
      when 'error_message' then take_error(message)
      else @log.debug("ignored a message of the type #{type}")
      end
    rescue JSON::ParserError, TypeError, NoMethodError, KeyError => e
      @log.warning("ignored a message that is no PCP message: #{e.message[0, 200]}")
    end

    # A result that could not be delivered is sent again with the next connection.
    def take_error(message)
      @log.warning("the broker refused a message: #{message['data']}")
      id = @sent.delete(message['in_reply_to']) or return
      @confirming.delete(id)
      @unsent |= [id]
      FileUtils.rm_f(@spool.path(id, 'sent'))
    end

    def take_request(message, blocking)
      request = message.slice('id', 'sender', 'data').merge('blocking' => blocking)
      data = request['data']
      return refuse_message(request, 'Message not authorized.') unless controller?(request['sender'])
      valid = Forms.fits?(Forms::REQUEST, data) && (blocking || [true, false].include?(data['notify_outcome']))
      return refuse_message(request, message.key?('data') ? 'invalid data' : 'no data') unless valid
      @log.info("#{label(request)} by #{request['sender']}")
      check(request, "#{data['module']} #{data['action']}", data['params'] ||= {})
      answer(request, data['params'])
    rescue Refused, SystemCallError => e
      refuse(request, e.message)
    end

    # Other agents may send messages, too; none of them may have a node do anything.
    def controller?(sender)
      return false unless %r{\Apcp://[^/]*/(?!agent\z)[^/]+\z}.match?(sender.to_s)
      given = @settings['controller-uris']
      given.empty? || given.any? { |pattern| File.fnmatch(pattern, sender) }
    end

    def label(request)
      Spool.label(request['data'].merge('blocking' => request['blocking']))
    end

    def check(request, name, params)
      mod, action = request['data'].values_at('module', 'action')
      raise Refused, "unknown module: #{mod}" unless Forms::ALL.keys.any? { |one| one.start_with?("#{mod} ") }
      raise Refused, "unknown action '#{action}' for module '#{mod}'" unless Forms::ALL.key?(name)
      only_blocks = !request['blocking'] && %w[ping echo status].include?(mod)
      raise Refused, "the module '#{mod}' supports only blocking PXP requests" if only_blocks
      valid = Forms.fits?(Forms::ALL[name], params) && !(name == 'task run' && params['files'].empty?)
      raise Refused, "invalid input for #{label(request)}" unless valid
    end

    def answer(request, params)
      case request['data']['module']
      when 'ping' then respond(request, 'request_hops' => [])
      when 'echo' then respond(request, 'outcome' => params['argument'])
      when 'status' then answer_status(request, params['transaction_id'])
      else request['blocking'] ? start(request, ".blocking-#{rand(2**64).to_s(16)}") : accept(request)
      end
    end

    # A repeated transaction never runs twice.
    def accept(request)
      id = request['data']['transaction_id']
      known = @spool.known?(id) || @actions.key?(id)
      start(request, id) unless known
      send_message('rpc_provisional_response', request['sender'], JSON.generate('transaction_id' => id))
    end

    def start(request, name)
      most = @settings['max-actions'] + @settings['max-waiting-actions']
      raise Refused, "failed to start action task: #{most} actions wait already" if @actions.size >= most
      data = request['data']
      metadata = { 'requester' => request['sender'], 'request_id' => request['id'], 'request_params' => '{}',
                   'notify_outcome' => data['notify_outcome'] || false, 'blocking' => request['blocking'],
                   'status' => 'running', 'start' => UnderstudyRunner.timestamp }
      folder = Files.make_folder(File.join(@spool.root, name))
      settings = @settings.to_h.merge('action-seconds' => @settings.duration('action-timeout'))
      metadata = metadata.merge(data.slice('transaction_id', 'module', 'action'))
      spawn(name, JSON.generate('settings' => settings, 'folder' => folder, 'params' => data['params'], 'metadata' => metadata))
      @actions[name] = request
    end

    # The parameters may be secrets: they go through a pipe, not through a file.
    def spawn(name, order)
      reader, writer = IO.pipe(binmode: true)
      command = [RbConfig.ruby, '--disable=gems', File.expand_path(__FILE__), '--run-action']
      pid = Process.spawn(*command, in: reader, out: File::NULL, err: File::NULL)
      reader.close
      Thread.new do
        begin
          writer.write(order)
        rescue SystemCallError
          nil
        end
        writer.close
        Process.wait(pid)
        @ended << name
        wake
      end
    end

    def take_ended
      until @ended.empty?
        name = @ended.pop
        request = @actions.delete(name)
        request['blocking'] ? end_blocking(request, name) : end_action(name)
      end
      @adopted.dup.each { |id| end_action(id) unless @spool.alive?(id) }
    end

    def end_action(id)
      @adopted.delete(id)
      found = @spool.metadata(id)
      @log.info("#{Spool.label(found)} has ended: #{found['execution_error'] || found['status']}")
      return unless outcome?(found)
      @unsent << id
      send_outcome(id) if @link
    rescue Refused, SystemCallError => e
      @log.error("#{id}: #{e.message}")
    end

    def send_outcome(id)
      @sent[send_results(@spool.metadata(id), @spool.path(id), 'rpc_non_blocking_response')] = id
      @sent.shift if @sent.size > 1000
      @confirming[id] = @pings + 1
      send_ping
    rescue Refused, SystemCallError, JSON::ParserError => e
      @unsent.delete(id)
      @log.error("#{id}: #{e.message}")
    end

    def end_blocking(request, name)
      folder = File.join(@spool.root, name)
      send_results(JSON.parse(Files.read(File.join(folder, 'metadata'))), folder, 'rpc_blocking_response') if @link
    rescue SystemCallError, JSON::ParserError => e
      refuse(request, "Failed to execute the task for the #{label(request)}. Unexpected error: #{e.message}")
    ensure
      FileUtils.rm_rf(folder)
    end

    # Sends the results of an action, or why there are none. Returns the id of the message.
    def send_results(metadata, folder, type)
      request = { 'id' => metadata['request_id'], 'sender' => metadata['requester'], 'data' => metadata }
      return refuse(request, metadata['execution_error']) if metadata['execution_error']
      respond(request, type, Spool.bytes(folder, metadata)) { Spool.results(folder, metadata) }
    end

    def answer_status(request, id)
      running = @actions.key?(id) ? { 'status' => 'running' } : nil
      raise Refused, 'found no results directory' unless running || (Spool::ID.match?(id) && @spool.known?(id))
      found = running || @spool.metadata(id)
      bytes = running ? 0 : Spool.bytes(@spool.path(id), found)
      respond(request, 'rpc_blocking_response', bytes) { @spool.status(id, found) }
    rescue Refused => e
      respond(request, 'transaction_id' => id, 'status' => 'unknown', 'stdout' => Spool.error_text(e.message))
    end

    def respond(request, results_or_type, bytes = 0)
      type, results = block_given? ? [results_or_type, nil] : ['rpc_blocking_response', results_or_type]
      most = @settings['max-message-size']
      if bytes <= most
        data = JSON.generate('transaction_id' => request['data']['transaction_id'], 'results' => results || yield)
        bytes = data.bytesize
      end
      return send_message(type, request['sender'], data) if bytes <= most
      refuse(request, "Message size: #{bytes} exceeded max-message-size #{most}")
    end

    def refuse(request, description)
      transaction = request['data']['transaction_id']
      @log.error("#{transaction}: #{description}")
      data = { 'transaction_id' => transaction, 'id' => request['id'], 'description' => description }
      send_message('rpc_error_message', request['sender'], JSON.generate(data))
    end

    def refuse_message(request, description)
      @log.warning("refused a message by #{request['sender']}: #{description}")
      send_message('error_message', request['sender'], JSON.generate(description), 'in_reply_to' => request['id'])
    end

    # Sends data, which are JSON already. Returns the id of the message.
    def send_message(type, target, data, more = {})
      id = OpenSSL::Random.random_bytes(16).unpack('H8H4H4H4H12').join('-')
      envelope = { 'id' => id, 'message_type' => PREFIX + type, 'target' => target, 'sender' => @own }.merge(more)
      @link&.send_frame(1, "#{JSON.generate(envelope).chop},\"data\":#{data}}")
      @littered ||= data.bytesize > MEBIBYTE
      id
    end
  end

  def self.main(arguments)
    return Action.main if arguments == ['--run-action']
    return puts(VERSION) if arguments == ['--version']
    at = arguments.index('--config-file')
    settings = Settings.new(at && arguments[at + 1])
    log = Log.new(settings['logfile'], settings['loglevel'])
    log.info("understudy-runner #{VERSION}, Ruby #{RUBY_VERSION}")
    settings.ignored.each { |name| log.info("Ignoring unrecognized option '#{name}'") }
    runner = Runner.new(settings, log)
    arguments.include?('--service') ? run_service(runner) : runner.run
  rescue Refused, SystemCallError => e
    warn("understudy-runner: #{e.message}")
    exit(2)
  end

  # A service of Windows, by the classes of Puppet's own service.
  def self.run_service(runner)
    require 'puppet/util/windows/daemon'
    daemon = Class.new(Puppet::Util::Windows::Daemon) do
      define_method(:service_main) { |*| runner.run }
      define_method(:service_stop) { runner.stop }
    end
    daemon.mainloop
  end
end

UnderstudyRunner.main(ARGV.dup) if $PROGRAM_NAME == __FILE__
