#!/bin/bash
# Installs an agent of OpenVox or Puppet and points it at @SERVER@.
#
# Arguments: SECTION:SETTING=VALUE   for puppet.conf; SECTION is main, agent, server or user
#            custom_attributes:NAME=VALUE, extension_requests:NAME=VALUE   for csr_attributes.yaml
#            --package-name NAME   openvox-agent or puppet-agent; the first of them by default
#            --release-package URL   a .deb or .rpm that sets up the repository to install from
#            --runner, --no-runner   whether the orchestrator can have this node run Puppet and
#                tasks; by default it can when OpenVox is installed and the server has a broker
#            --puppet-service-ensure running|stopped, --puppet-service-enable true|false
set -u
server='@SERVER@'
port='@PORT@'
base="https://$server:$port/packages/@VERSION@"
service_ensure=running
service_enable=true
package_names='openvox-agent puppet-agent'
distribution_names="$package_names puppet"
release_package=''
wants_runner=''
broker_port=8142
runner_folder=/opt/understudy-runner
settings=()
attributes=()
extensions=()
has_settings='' has_attributes='' has_extensions=''
downloads=''

fail() { echo "install.bash: $1" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

parse_arguments() {
  while [ $# -gt 0 ]; do
    case "$1" in
      --puppet-service-ensure) [ $# -gt 1 ] || fail "$1 needs a value"; service_ensure=$2; shift ;;
      --puppet-service-enable) [ $# -gt 1 ] || fail "$1 needs a value"; service_enable=$2; shift ;;
      --package-name) [ $# -gt 1 ] || fail "$1 needs a value"; package_names=$2; distribution_names=$2; shift ;;
      --release-package) [ $# -gt 1 ] || fail "$1 needs a value"; release_package=$2; shift ;;
      --runner) wants_runner=y ;;
      --no-runner) wants_runner=n ;;
      main:*=*|agent:*=*|server:*=*|user:*=*) settings+=("$1"); has_settings=y ;;
      custom_attributes:*=*) attributes+=("$(printf '%s' "$1" | cut -d: -f2-)"); has_attributes=y ;;
      extension_requests:*=*) extensions+=("$(printf '%s' "$1" | cut -d: -f2-)"); has_extensions=y ;;
      *) fail "unknown argument '$1': SECTION:SETTING=VALUE is expected" ;;
    esac
    shift
  done
}

# Sets tag to what the repository calls this platform, and kind to its packages.
find_platform() {
  local arch id version
  arch=$(uname -m)
  case "$(uname -s)" in
    Linux) ;;
    Darwin) find_macos "$arch"; return ;;
    *) fail "unknown platform: $(uname -s)" ;;
  esac
  id=$(of_release ID)
  [ "$id" != '' ] || fail 'unknown platform: there is no /etc/os-release that names it'
  version=$(of_release VERSION_ID)
  [ "$version" != '' ] || version=$(of_release VERSION_CODENAME)
  # First by its own name, then by those that it says it is like.
  case " $id $(of_release ID_LIKE) " in
    ' debian '*|' ubuntu '*) kind=deb ;;
    ' amzn '*) kind=rpm; id=amazon ;;
    ' fedora '*) kind=rpm ;;
    ' sles'*|' opensuse'*|*' suse '*) kind=rpm; id=sles; version=$(echo "$version" | cut -d. -f1) ;;
    *' rhel '*|*' centos '*|*' fedora '*) kind=rpm; id=el; version=$(echo "$version" | cut -d. -f1) ;;
    *' debian '*|*' ubuntu '*) kind=deb ;;
    *) fail "unknown platform: $id $version" ;;
  esac
  [ "$kind" = rpm ] || arch=$(dpkg --print-architecture) || fail 'dpkg does not say which architecture this is'
  tag="$id-$version-$arch"
}

# Prints a value of /etc/os-release; nothing when it has none.
of_release() { [ ! -r /etc/os-release ] || sed -n "s/^$1=//p" /etc/os-release | tr -d "\"'"; }

find_macos() {
  local version
  version=$(sw_vers -productVersion) || fail 'the version of macOS cannot be found'
  case "$version" in
    10.*) version=$(echo "$version" | cut -d. -f1-2) ;;
    *) version=$(echo "$version" | cut -d. -f1) ;;
  esac
  tag="osx-$version-$1"; kind=dmg
}

# The first contact believes what it sees, as that of an agent does; from then on the CA vouches.
trust_authority() {
  downloads=$(mktemp -d) || fail 'no temporary directory can be made'
  trap 'rm -rf "$downloads"' EXIT
  curl -fsSk --retry 3 -o "$downloads/ca.pem" "https://$server:$port/puppet-ca/v1/certificate/ca" ||
    fail "the CA's certificate cannot be fetched from $server:$port"
}

# 0: fetched and its checksum is right; 1: the repository has none.
fetch() {
  local status
  status=$(curl -sS --retry 3 --cacert "$downloads/ca.pem" -w '%{http_code}' -o "$2" "$base/$1") ||
    fail "$base/$1 cannot be fetched"
  [ "$status" = 404 ] && return 1
  [ "$status" = 200 ] || fail "$base/$1: status $status"
  local want have_sum
  want=$(curl -fsS --retry 3 --cacert "$downloads/ca.pem" "$base/$1.sha256") ||
    fail "the checksum of $base/$1 cannot be fetched"
  want=$(echo "$want" | cut -d' ' -f1)
  if have sha256sum; then have_sum=$(sha256sum "$2" | cut -d' ' -f1); else have_sum=$(shasum -a 256 "$2" | cut -d' ' -f1); fi
  [ "$want" = "$have_sum" ] || fail "$base/$1 is not what its checksum says"
}

# Installs a package, by file or by name; the second argument is an option of zypper.
install_package() {
  case "$kind" in
    deb) DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$1" ;;
    rpm) if have zypper; then zypper --non-interactive ${2:+"$2"} install "$1"
         elif have dnf; then dnf install -y "$1"
         else yum install -y "$1"; fi ;;
    dmg) hdiutil attach -quiet -nobrowse -mountpoint "$downloads/image" "$1" &&
         installer -pkg "$(find "$downloads/image" -name '*.pkg' | head -n 1)" -target / &&
         hdiutil detach -quiet "$downloads/image" ;;
  esac
}

install_ours() {
  local name file
  for name in $package_names; do
    file="$downloads/$name.$kind"
    fetch "$tag/$name.$kind" "$file" || continue
    chmod 755 "$downloads"
    install_package "$file" --no-gpg-checks || fail "the package of $tag cannot be installed"
    return 0
  done
  return 1
}

# Installs the package of a repository that the operator names.
set_up_repository() {
  local file="$downloads/release.$kind"
  [ "$kind" != dmg ] || fail 'there are no release packages for macOS'
  curl -fsSL --retry 3 -o "$file" "$release_package" || fail "$release_package cannot be fetched"
  chmod 755 "$downloads"
  install_package "$file" --no-gpg-checks || fail "$release_package cannot be installed"
}

install_from_repositories() {
  local name
  if [ "$kind" != dmg ]; then
    [ "$kind" != deb ] || apt-get update -q || true
    for name in $distribution_names; do install_package "$name" && return; done
  fi
  fail "neither $server nor the distribution has an agent for $tag"
}

install_agent() {
  if [ "$release_package" != '' ]; then set_up_repository
  elif install_ours; then return
  else echo "There is no package of $tag at $server; the distribution's own is taken."; fi
  install_from_repositories
}

yaml_pairs() {
  local pair name value
  echo "$1:"
  shift
  for pair in "$@"; do
    name=$(printf '%s' "$pair" | cut -d= -f1)
    value=$(printf '%s' "$pair" | cut -d= -f2- | sed "s/'/''/g")
    printf "  %s: '%s'\n" "$name" "$value"
  done
}

# Before the first run: what is in there is in the certificate request.
write_attributes() {
  local file
  file="$("$puppet" config print confdir --section agent)/csr_attributes.yaml"
  [ "$has_attributes$has_extensions" = '' ] && return
  (
    umask 077
    {
      echo '---'
      [ "$has_attributes" = '' ] || yaml_pairs custom_attributes "${attributes[@]}"
      [ "$has_extensions" = '' ] || yaml_pairs extension_requests "${extensions[@]}"
    } > "$file"
  ) || fail "$file cannot be written"
}

configure() {
  local setting section name value
  "$puppet" config set server "$server" --section main || fail 'puppet.conf cannot be written'
  [ "$port" = 8140 ] || "$puppet" config set serverport "$port" --section main
  for setting in "$@"; do
    section=$(printf '%s' "$setting" | cut -d: -f1)
    name=$(printf '%s' "$setting" | cut -d: -f2- | cut -d= -f1)
    value=$(printf '%s' "$setting" | cut -d= -f2-)
    "$puppet" config set "$name" "$value" --section "$section" || fail "the setting $name cannot be written"
  done
}

start_service() {
  if [ "$(uname -s)" = Linux ] && [ ! -d /run/systemd/system ]; then
    echo 'No service manager runs here: start the agent yourself, with puppet agent.'
    return
  fi
  "$puppet" resource service puppet "ensure=$service_ensure" "enable=$service_enable" >/dev/null ||
    fail 'the service puppet cannot be started'
}

is_openvox() {
  local found
  case "$kind" in
    deb) found=$(dpkg-query -W -f '${Package} ${Status}' openvox-agent 2>/dev/null) ;;
    rpm) found=$(rpm -q --qf '%{NAME} installed' openvox-agent 2>/dev/null) ;;
    *) found="$(pkgutil --pkgs 2>/dev/null) installed" ;;
  esac
  case "$found" in *openvox*installed) ;; *) return 1 ;; esac
}

has_broker() {
  [ "$(curl -fs --max-time 5 --cacert "$downloads/ca.pem" \
    "https://$server:$broker_port/status/v1/simple/broker-service" 2>/dev/null)" = running ]
}

# Puts the runner of the orchestrator into its folder, with a service that the system starts.
install_runner() {
  local ruby conf program="$runner_folder/understudy-runner.rb"
  ruby=/opt/puppetlabs/puppet/bin/ruby
  [ -x "$ruby" ] || ruby=$(command -v ruby) || fail 'the runner needs Ruby, and there is none'
  fetch understudy-runner.rb "$downloads/understudy-runner.rb" || fail "$server has no runner"
  "$ruby" --disable=gems "$downloads/understudy-runner.rb" --version >/dev/null || fail 'the runner does not start'
  {
    mkdir -p "$runner_folder" && chmod 755 "$runner_folder" && cp "$downloads/understudy-runner.rb" "$program.new" &&
      chmod 755 "$program.new" && mv -f "$program.new" "$program"
  } || fail "$program cannot be written"
  conf=/etc/puppetlabs
  [ -d "$conf" ] || conf=/etc/puppet
  mkdir -p "$conf"
  [ -e "$conf/understudy-runner.conf" ] || printf '{\n  "broker-ws-uris": ["wss://%s:%s/pcp2/"],\n  "primary-uris": ["https://%s:%s"],\n  "puppet-bin": "%s"\n}\n' \
    "$server" "$broker_port" "$server" "$port" "$puppet" >"$conf/understudy-runner.conf" ||
    fail "$conf/understudy-runner.conf cannot be written"
  if [ "$kind" = dmg ]; then start_runner_of_macos "$ruby" "$program"; else start_runner_of_linux "$ruby" "$program"; fi
  echo "The runner is installed and connects to $server:$broker_port."
}

# Puppet runs within this unit, so that nothing here may keep it from what it manages.
start_runner_of_linux() {
  cat >/etc/systemd/system/understudy-runner.service <<UNIT
[Unit]
Description=Runs Puppet and tasks for the orchestrator
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=$1 --disable=gems $2
ExecReload=/bin/kill -HUP \$MAINPID
Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/puppetlabs/bin
Restart=always
RestartSec=5
# Actions go on when it stops.
KillMode=process
OOMPolicy=continue
TasksMax=infinity
KeyringMode=private
# Memory has keys and parameters of tasks: a crash leaves none of it on a disk.
LimitCORE=0

[Install]
WantedBy=multi-user.target
UNIT
  if [ ! -d /run/systemd/system ]; then
    echo "No service manager runs here: start the runner yourself, with $1 $2."
    return
  fi
  {
    systemctl daemon-reload && systemctl enable understudy-runner.service && systemctl restart understudy-runner.service
  } || fail 'the service understudy-runner cannot be started'
}

start_runner_of_macos() {
  local plist=/Library/LaunchDaemons/understudy-runner.plist
  cat >"$plist" <<PLIST
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>understudy-runner</string>
  <key>ProgramArguments</key><array><string>$1</string><string>--disable=gems</string><string>$2</string></array>
  <key>EnvironmentVariables</key><dict><key>LANG</key><string>en_US.UTF-8</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>AbandonProcessGroup</key><true/>
  <key>StandardOutPath</key><string>/var/log/understudy-runner.log</string>
  <key>StandardErrorPath</key><string>/var/log/understudy-runner.log</string>
</dict>
</plist>
PLIST
  chmod 644 "$plist"
  launchctl unload "$plist" 2>/dev/null
  launchctl load -w "$plist" || fail 'the service understudy-runner cannot be started'
}

main() {
  [ "$(id -u)" -eq 0 ] || fail 'it must run as root'
  have curl || fail 'curl is needed'
  parse_arguments "$@"
  find_platform
  trust_authority
  puppet=/opt/puppetlabs/bin/puppet
  if [ ! -x "$puppet" ] && ! have puppet; then
    install_agent
  fi
  [ -x "$puppet" ] || puppet=$(command -v puppet) || fail 'the agent was installed, but there is no command puppet'
  write_attributes
  if [ "$has_settings" = '' ]; then configure; else configure "${settings[@]}"; fi
  start_service
  if [ "$wants_runner" = '' ] && is_openvox && has_broker; then wants_runner=y; fi
  [ "$wants_runner" != y ] || install_runner
  echo "The agent is installed and asks $server:$port."
}

main "$@"
