/** Facts of machines that do not exist, by a short name of their operating system. */

interface System {
  readonly name: string;
  readonly family: string;
  readonly release: readonly [full: string, major: string];
  readonly codename?: string;
  readonly kernel: readonly [name: string, release: string];
}

const SYSTEMS: Readonly<Record<string, System>> = {
  debian12: {
    name: 'Debian',
    family: 'Debian',
    release: ['12.5', '12'],
    codename: 'bookworm',
    kernel: ['Linux', '6.1.0-18-amd64'],
  },
  ubuntu22: {
    name: 'Ubuntu',
    family: 'Debian',
    release: ['22.04', '22.04'],
    codename: 'jammy',
    kernel: ['Linux', '5.15.0-105-generic'],
  },
  rhel8: {
    name: 'RedHat',
    family: 'RedHat',
    release: ['8.9', '8'],
    codename: 'Ootpa',
    kernel: ['Linux', '4.18.0-513.el8.x86_64'],
  },
  rhel9: {
    name: 'RedHat',
    family: 'RedHat',
    release: ['9.3', '9'],
    codename: 'Plow',
    kernel: ['Linux', '5.14.0-362.el9.x86_64'],
  },
  sles15: {
    name: 'SLES',
    family: 'Suse',
    release: ['15.5', '15'],
    codename: 'n/a',
    kernel: ['Linux', '5.14.21-150500.53-default'],
  },
  freebsd14: {
    name: 'FreeBSD',
    family: 'FreeBSD',
    release: ['14.0-RELEASE', '14'],
    kernel: ['FreeBSD', '14.0-RELEASE'],
  },
  windows2022: {
    name: 'windows',
    family: 'windows',
    release: ['2022', '2022'],
    kernel: ['windows', '10.0.20348'],
  },
};

/** Structured facts, and the old flat ones that modules still read. */
export function factsOf(hostname: string, system: string): Readonly<Record<string, unknown>> {
  const found = SYSTEMS[system];
  if (!found) throw new Error(`no facts of ${system}`);
  return { ...identityOf(hostname), ...systemOf(found), ...HARDWARE, ...SOFTWARE };
}

function systemOf({ name, family, release: [full, major], codename, kernel: [kernel, kernelrelease] }: System) {
  const release = { full, major };
  const selinux = family === 'RedHat';
  return {
    os: {
      name,
      family,
      architecture: family === 'Debian' ? 'amd64' : 'x86_64',
      hardware: 'x86_64',
      release,
      ...(codename && { distro: { id: name, codename, description: `${name} ${full}`, release } }),
      selinux: { enabled: selinux },
      ...(kernel === 'windows' && { windows: { system32: 'C:\\Windows\\system32' } }),
    },
    osfamily: family,
    operatingsystem: name,
    operatingsystemrelease: full,
    operatingsystemmajrelease: major,
    ...(codename && { lsbdistid: name, lsbdistcodename: codename, lsbdistrelease: full, lsbmajdistrelease: major }),
    architecture: family === 'Debian' ? 'amd64' : 'x86_64',
    hardwaremodel: 'x86_64',
    kernel,
    kernelrelease,
    kernelversion: kernelrelease.split('-')[0],
    kernelmajversion: kernelrelease.split('.').slice(0, 2).join('.'),
    selinux,
    systemd: kernel === 'Linux',
    service_provider: kernel === 'Linux' ? 'systemd' : 'init',
    package_provider: { Debian: 'apt', RedHat: 'dnf', Suse: 'zypper' }[family] ?? 'pkg',
  };
}

function identityOf(hostname: string) {
  const domain = 'dc1.example.com';
  const fqdn = `${hostname}.${domain}`;
  const eth0 = { ip: '10.0.0.21', netmask: '255.255.255.0', network: '10.0.0.0', mac: '52:54:00:12:34:56', mtu: 1500 };
  const lo = { ip: '127.0.0.1', netmask: '255.0.0.0', network: '127.0.0.0', mtu: 65536 };
  const networking = { fqdn, hostname, domain, ...eth0, ip6: 'fe80::5054:ff:fe12:3456', primary: 'eth0' };
  return {
    networking: { ...networking, interfaces: { eth0, lo } },
    fqdn,
    hostname,
    domain,
    clientcert: fqdn,
    interfaces: 'eth0,lo',
    ipaddress: eth0.ip,
    ipaddress6: networking.ip6,
    netmask: eth0.netmask,
    network: eth0.network,
    macaddress: eth0.mac,
    ipaddress_eth0: eth0.ip,
    netmask_eth0: eth0.netmask,
    ipaddress_lo: lo.ip,
    datacenter: 'dc1',
    teams: ['red', 'blue'],
  };
}

const HARDWARE = {
  processors: { count: 8, physicalcount: 2, isa: 'x86_64' },
  processorcount: 8,
  physicalprocessorcount: 2,
  memory: { system: { total: '15.62 GiB', total_bytes: 16777216000, available_bytes: 12884901888 } },
  memorysize: '15.62 GiB',
  memorysize_mb: 16000.5,
  virtual: 'kvm',
  is_virtual: true,
  mountpoints: { '/': { device: '/dev/vda1', filesystem: 'ext4', options: ['rw', 'relatime'] } },
  disks: { vda: { size_bytes: 42949672960 } },
  blockdevices: 'vda',
};

const SOFTWARE = {
  path: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  puppetversion: '8.10.0',
  facterversion: '4.10.0',
  clientversion: '8.10.0',
  systemd_version: '252',
  systemd_internal_services: { 'systemd-resolved.service': 'enabled' },
  timezone: 'UTC',
  root_home: '/root',
  id: 'root',
  identity: { uid: 0, user: 'root' },
  is_pe: false,
  fips_enabled: false,
  os_service_default: '<SERVICE DEFAULT>',
  os_workers: 4,
  os_workers_small: 2,
  os_workers_large: 8,
  os_workers_heat_engine: 4,
  os_workers_keystone: 4,
  puppet_environmentpath: '/etc/puppet/code/environments',
  puppet_vardir: '/var/lib/puppet',
  concat_basedir: '/var/lib/puppet/concat',
  ssh: { rsa: { key: 'AAAAB3NzaC1yc2EAAAADAQABAAABAQC7', type: 'ssh-rsa' } },
  sshrsakey: 'AAAAB3NzaC1yc2EAAAADAQABAAABAQC7',
  ssh_server_version_full: '9.2p1',
  ssh_server_version_major: '9.2',
  iptables_version: '1.8.9',
  iptables_persistent_version: '1.0.20',
  postgres_default_version: '15',
  rabbitmq_version: '3.10.8',
  mysql_version: '8.0.36',
  mysql_server_id: 42,
  mongodb_version: '4.4.29',
  redis_server_version: '7.0.15',
  collectd_version: '5.12.0',
  haproxy_version: '2.6.12',
  apache_version: '2.4.57',
  corosync: '3.1.7',
  ovs_uuid: '123-456',
  staging_http_get: 'curl',
  swift_device_uuids: [],
  filebeat_version: '7.17.0',
};
