/**
 * Facts that have a structured form, by their flat names. Agents of Puppet 8 and OpenVox leave them
 * out unless `include_legacy_facts` is set. Facter: lib/facter/framework/core/fact_loader.rb
 */
export const LEGACY_FACTS: ReadonlySet<string> = new Set(
  `architecture augeasversion blockdevices bios_release_date bios_vendor bios_version boardassettag boardmanufacturer
  boardproductname boardserialnumber chassisassettag chassistype dhcp_servers domain ec2_instance_id fqdn gid
  hardwareisa hardwaremodel hostname id interfaces ipaddress ipaddress6 lsbdistcodename lsbdistdescription lsbdistid
  lsbdistrelease lsbmajdistrelease lsbminordistrelease lsbrelease macaddress macosx_buildversion macosx_productname
  macosx_productversion macosx_productversion_major macosx_productversion_minor manufacturer memoryfree
  memoryfree_mb memorysize memorysize_mb netmask netmask6 network network6 operatingsystem
  operatingsystemmajrelease operatingsystemrelease osfamily physicalprocessorcount processorcount productname
  rubyplatform rubysitedir rubyversion scope6 selinux selinux_config_mode selinux_config_policy
  selinux_current_mode selinux_enforced selinux_policyversion serialnumber swapencrypted swapfree swapfree_mb
  swapsize swapsize_mb system32 uptime uptime_days uptime_hours uptime_seconds uuid xendomains zonename zones`.split(
    /\s+/,
  ),
);
