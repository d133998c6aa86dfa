/**
 * Time zones that Ruby knows, with offsets from UTC in seconds. Source: the zone table of Ruby's
 * date library.
 */
const NAMES: Readonly<Record<string, string>> = {
  '-43200': 'y aoe idlw dateline',
  '-39600': 'x nt nut sst samoa',
  '-36000': 'w ckt hst ahst hast taht hawaiian',
  '-32400': 'v hdt yst akst gamt hadt alaskan',
  '-30600': 'mart',
  '-28800': 'u pst ydt akdt pacific',
  '-25200': 't mst pdt mountain',
  '-21600': 's cst mdt east galt mexico central',
  '-18000': 'r act cdt cot ect est pet cist easst eastern',
  '-14400': 'q ast bot clt edt fkt gyt vet cidst atlantic',
  '-12600': 'newfoundland',
  '-10800': 'p adt art brt gft srt uyt wgt clst fkst pmst pyst rott warst greenland',
  '-9000': 'nst',
  '-7200': 'o at fnt brst pmdt uyst wgst',
  '-5400': 'ndt',
  '-3600': 'n cvt egt azot azores',
  0: 'z ut wt gmt utc wet egst azost greenwich',
  3600: 'a bst cet fwt met mez swt wat mewt west romance',
  7200: 'b cat eet fle fst gtb cest mest mesz sast wast egypt jerusalem',
  10800: 'c bt eat fet idt msk trt arab eest syot arabic russian',
  12600: 'iran irst',
  14400: 'd azt get msd mut ret sct kuyt samt arabian caucasus',
  16200: 'aft irdt afghanistan',
  18000: 'e mvt pkt tft tjt tmt uzt aqtt azst mawt orat yekt ekaterinburg',
  19800: 'ist india',
  20700: 'npt nepal',
  21600: 'f btt iot kgt almt omst qyzt vost yekst',
  23400: 'cct mmt myanmar',
  25200: 'g cxt ict wib davt hovt krat novt novst omsst',
  28800: 'h bnt hkt myt pht sgt awst cast chot irkt ulat wadt wita china hovst krast taipei',
  31500: 'acwst',
  32400: 'i jst kst pwt tlt wit awdt yakt chost irkst korea tokyo ulast yakutsk',
  34200: 'acst',
  36000: 'k gst pgt aest chst chut ddut vlat yapt yakst tasmania vladivostok',
  37800: 'acdt lhst',
  39600: 'l nct nft sbt vut aedt eadt kost lhdt magt pont sakt sret vlast',
  43200: 'm fjt mht nrt nzt tvt wft anat fiji gilt idle nfdt nzst pett wakt anast magst petst',
  45900: 'chast',
  46800: 'tkt tot fjst nzdt phot tonga',
  49500: 'chadt',
  50400: 'lint tost',
};

const OFFSETS: ReadonlyMap<string, number> = new Map(
  Object.entries(NAMES).flatMap(([offset, names]) => names.split(' ').map((name) => [name, Number(offset)] as const)),
);

/**
 * The offset of a zone in seconds east of UTC; undefined when Ruby does not know it. The name is
 * case-insensitive.
 */
export function findZoneOffset(name: string): number | undefined {
  return OFFSETS.get(name.toLowerCase());
}
