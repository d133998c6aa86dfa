/** Made by test/modules/list-stdlib-texts.ts from the tags of puppetlabs-stdlib; digests only. */

/**
 * For each edition of a built-in function: the first digits of the sha256 of texts in Ruby that
 * mean the same, from any release. `behind`: texts of API 3.x beside a text of API 4.x, which
 * takes precedence. `requires` names functions of stdlib that such a text calls.
 */
export interface KnownTexts {
  readonly '8'?: string;
  readonly '8.6'?: string;
  readonly '9.0'?: string;
  readonly '9.5'?: string;
  readonly behind?: string;
  readonly requires?: string;
}

export const KNOWN_TEXTS: ReadonlyMap<string, KnownTexts> = new Map<string, KnownTexts>([
  [
    'any2array',
    {
      '8': '049162bac3b5d06fa7df2702853f79fb 79916b67d70afff5fd33dbc64d733783 c89327b110c8ca83cbdd18ac870ee375',
      '9.0': 'f08851e4a4285fb156242df3340afaf7',
    },
  ],
  [
    'any2bool',
    {
      '8': '2ed278c2d0a03792a8cb4def41999ff3 75d23a32f8b5d54f3edcd13aae4d35ff 79ebd9fd761222002ced14b8966d47d8 8e088ab75b075b6edc807b6eb6238500 a36fc7cf417ff0f79de1b62763926cef',
      '9.0': '0622681baf847f22f2268f1bbd5a7e92',
      requires: 'num2bool str2bool',
    },
  ],
  ['assert_private', { '8': '0c863d21db6f2822caabac857ac74912', '9.0': 'd4e34e31ac353a857391e02c4473c7ac' }],
  [
    'base64',
    {
      '8': '3f50858154f7618ff7c944c831b8c422 5c683b5b933c58f47d9c4c916766f7dc c8efaf38437f93abcea2b9118a73f7b7',
      '9.0': 'd295b995d0e110d46751b57fa32ffce0',
    },
  ],
  [
    'basename',
    {
      '8': '48a2c983accd27cf6b681363e792b3d3 82ebdf0ca1ce040b8d7b48e5200f14e9 899d487332ad9fc5766345b8a921c09e b457b86320f473f2989a89eca8c66abd fefdff8d8cdbe843383eb13f42555aed',
    },
  ],
  [
    'batch_escape',
    {
      '8': 'fcca7cb73fb2e11d2718e3479e0b1a2e',
      '9.0': '968bc100bfa0a775490aaac0df4ae3c6',
      requires: 'deprecation stdlib::batch_escape',
    },
  ],
  [
    'bool2num',
    {
      '8': '24718feb4261857c3ad3a11a0f8b1553 53ebf99c7f386b9d66974088cf16c821 74fd1fb0f2521a3a80f40dbf981fe076 9a3ee3d0a7e55c6bc31a5b52d31392c5 f11fe6468904ab9212901418c1e0206c f2f81660af17fc7a3db65d4e31abeef0',
      requires: 'str2bool',
    },
  ],
  [
    'bool2str',
    {
      '8': '36e88940db1a871c78ae503067e8faa4 398a006b3a5f6f381af657efe1eb81ce 48b117de6f8d8e1fdaa0f2e9c2b6f2cc 9e3d5fa4dca70667fe8d8a28ef92ddc0 cac2e709ff422c7c3730b65354a98277',
      '9.0': '1b3d1a7941017ce35dbfbf62bd2967c9',
    },
  ],
  ['clamp', { '8': 'b14e512dfe6ef97c1194f872bc90bda5', '9.0': '86f643d944e8104e4aff1012e0e15b31' }],
  [
    'concat',
    {
      '8': '11f50565df664b3c45c6c94d00f3eb2d 300a212d362ed798d9090816847ee4d0 964c46e1856ba029f93ad9aaa6cf059e b0786bae6acf3e6085a262107bbf25d7 b2a6ca0845ab780a4a49a334c8ed1c78',
      '9.0': '04f46bffc83106e69a276cadfe122a9c',
    },
  ],
  ['convert_base', { '8': 'b0c9ebf16285bcc2dcf3b0b7b1e6b883', '9.0': '063e594b4fc5ea157a22d0b0a1c78297' }],
  [
    'count',
    {
      '8': '1daac432f75bb9568c1bc622e51146d8 24e27655d8bd58e9210b46d013da9412 33f1f2b733a2a1b49dab87ffb16783d9 7a0816e68bff07ac8ba2b653a9d95d5e f51924ab477f36cf746252d32889f5a7',
      '9.0': 'e5c923e1f1f1e14de52d750a105dc4d1',
    },
  ],
  [
    'deep_merge',
    {
      '8': '2762b9a4dcf263f8d7749251fad20d4a 30d66e63f50240fefc762ec3ff9d1baa baa7ae748835937691b611acf0d1a1c3 cafa54d859b29794f3daa5e707774dd9',
      '9.0': '522c6b2366421bcee5b75a18fd54ff93',
    },
  ],
  [
    'defined_with_params',
    {
      '8': '522a8771d253096b879418c7d71993e8 acf73715b2f84b74b9903b512be53520 b86e1668474396c0a3056de924bdfcd4',
      '9.0': '397dd740103a11959b2ef74766ffed39',
    },
  ],
  [
    'delete',
    {
      '8': '4cc7eff18bc47c3061ac33a296056c94 56b279ed09b465207a7f33f7690bbc2f 57ea728012af7455aa1be3ddb258d4a4 b781e6daff73f890fe8036f7a291dc3b f618811aeed36d3129977bbc75d3835c fb17db55c591bbbf99da87ebbf454558',
    },
  ],
  [
    'delete_at',
    {
      '8': '358b26685b568baf48865323de110d95 9d1f0ff999c284ac3b1ff00e10418746 c1f65d56d1ffaa708d25948d4bcb1b61 cce2161ef6c39f264de068892c946664 f85e232569eb3ca217ef9daaa9afeea3',
      '9.0': '90828470aaac937b2ada7496034cb8a5',
    },
  ],
  [
    'delete_regex',
    {
      '8': '26a80908d9091ef9e5fe35e49ca9d616 2c3eb41aa7913b97cc5b4d3121fc653b a20c7cb6314cb56ee69b855eb118d3fb af35636d1bea0a19eab2085d34a7231a cae0914e3a9d40db5f872f1cf17c3d05 f70ad069489c4d18903dccf04f8923d7',
    },
  ],
  [
    'delete_undef_values',
    {
      '8': '8ba2311b0d21780c3f0085b9580cfab0 90cc92438e99dd4e9015927840ac59f5 c5723701f03f0bc61487b8e019d33861',
      '9.0': '551f5d46c28b08cb56f8027b888dfcfe',
    },
  ],
  [
    'delete_values',
    {
      '8': '34b6d255e3f35803205432dacd27edd9 4f7257f8e36e25fe083d2cdcab8b11c3 744267a20457beec4cc14e4e0e33c3c6 9c6bf8650b2e35792ff4d4664063699e e204eafc54a6f3c410d344b8266932cf',
      '9.0': '9d378dd7c4077140896f908192e2ef69',
    },
  ],
  [
    'deprecation',
    {
      '8': '53ed4ef112422d6fdd1e255b497d8e95',
      '9.0': '3d111579addd7701d80dc72a095bb965',
      behind:
        '35a8d740e1528cca79c6281da71a3baa 614456d92384ea0fe214f49c81581ef3 767951acab40f2f5080d7433f6d59c44 a026f647fddd157d852a07bbd48105dc d92ee95c0f9fa6accc1af8b1b54c6dee',
    },
  ],
  [
    'difference',
    {
      '8': '2241fcdaecdf5388f8e7429311c3670e 3a151b661b54b779b4bd87d36f912bfb b3aa1d98d932491c351264159a263f80 b8fc7c461b28ad1fc3d984b59182f431 d707b0dc315c6c5d120c5a7db6e713d2 e2c6d9e8a38a5f7fc1c607b6b3539c50',
      '9.0': 'd1d41fa6c78ff7fc246f7f1e23871c5a',
    },
  ],
  [
    'dig44',
    {
      '8': '2091c7aad7903ebfab1c722bdbce28c9 51c2926bf8c76759776f883c8231fd5e 5b462cf502f4f657288e1a4ee258eceb 76a7707f2b86b3866b9d27e5e8d0f0dd cd6486c6c3fcdd6211fde8fdc9de7d74 eef5a40b7ef21ba22210f0fb2339b22f',
    },
  ],
  [
    'dirname',
    {
      '8': '06db46e717ce3a09008ac630776066b6 79bca75494d1b11a733d54c1d05d8042 bfbdde48f228c4aa0170a8c79d6d7e9a',
      '9.0': '25b37e8af49f6d595af5c48dc46f33ff',
    },
  ],
  [
    'dos2unix',
    {
      '8': '1d8f9f112377e8b0029d2593ca2a6784 2ac04b3e514cc9badf7e9bf0ed8c9a09 519fc75098b92117ef311b9260cebc43 956451ba168c6bdd4dc1c6119ac081a7',
      '9.0': '5f30cae48f6a9e8789fce867180398f2',
    },
  ],
  [
    'enclose_ipv6',
    {
      '8': '25ab457b9f0e2e6e85a95aa487d7b88e 263aaa91f876dd5e43b7af436ddbca51 4d304efa7df00068a83ff9de01155520 f1f0e01c668bffa6fb3c17765c56dc25',
      '9.0': '08acfb736c70984c804ae82ed6f1d40f',
    },
  ],
  [
    'ensure_packages',
    {
      '8': '287bfb2ac90b0f1865d52640087296b8',
      '8.6': '9c6aa9cc191268cf4a45cceef591e8d8',
      '9.0': '8a268da016178c99a2558bf3113ab641',
      behind: '4b94243c6b7770b83da8a834f4028872',
      requires: 'defined_with_params deprecation ensure_resource ensure_resources stdlib::ensure_packages',
    },
  ],
  [
    'ensure_resource',
    {
      '8': '11163ad603bb7a35508ad4490d573bb7 1ac97adf01c9e81715bf21bbf1616a1e 25ab19a94df5d6af519d0d7672d0bbf1 70c020d7a8ba1251e4d215f73ba5d480 8a1f305a29be703f0c4eff1451d73686 955ea1ef26a49cc943f175f34f37f37f 9a6f65a6dbc9acf3551b03a5a92359a1',
      requires: 'defined_with_params',
    },
  ],
  [
    'ensure_resources',
    {
      '8': '0aa5244167bf900f49e5ceb1b2349bbf 1ef3c8f6616441278262a3f0bf0e3c9b 24ac710e620230595009ed3187602f22 53eefe12c5055ea79cdaa161da1318bf 78f157b4fdb75da06ee1ffd36d42931a 8f30020eda0de3e21d0c2225d67a489d',
      requires: 'ensure_resource',
    },
  ],
  [
    'fact',
    { '8': '10eb4da2d090949285d0e94ca24d102c 44c9baac4dce8edba8fb51ca4bd694a5 dc102a5ad88e5b299e1e71737e95a6c7' },
  ],
  [
    'fqdn_rand_string',
    {
      '8': '91ba720b5167437154908d44b06e54bd e16987f8ef462fef508609589bbe5469',
      '9.0': 'e8127870faef79b5f21487ef1cba6509',
      requires: 'deprecation is_integer stdlib::fqdn_rand_string',
    },
  ],
  [
    'fqdn_rotate',
    {
      '8': '2a4d394def0c911d2451795188a652d7 6088ff7374d85256401c951371ca7357 9d15aba93561e5e204899c0a81e09651',
      '9.0': '2e785c83367035b1033796617f968273',
      requires: 'deprecation stdlib::fqdn_rotate',
    },
  ],
  [
    'fqdn_uuid',
    {
      '8': '15e7f7813e0156778161d0fe08937807 9851515dd0605b6e4c8ea514e215bd98 9d53eacd6123915404b4b953a5f00f2c e1d1b7cf34851bc11c00ecb258094711',
      '9.0': 'cea99f0a0bc7b420848f49c9413dda09',
    },
  ],
  [
    'get_module_path',
    {
      '8': '806136f58203b5eacc496f97a279c40e 824ece4226d19a3e6b8f9923db6bfa50 d63771c1bf6ad591bcbb781a7a87dbd7 d98c2d8bd0089e92cffe2807f55c129c e14beac4294d879ecfd0064ba5d089b8 f35a53aa637c3d0f752b3a5d0b3bb2fa',
    },
  ],
  [
    'getparam',
    {
      '8': '8d1f89ff3219bc5a00b72a27d0020960 c1d67082ce0fd0ef8074ffa2473a46cd',
      '9.0': '7f6ec9bf85f1f5d4546ee6459fc20a12',
    },
  ],
  [
    'glob',
    {
      '8': '5205bebcd9e30330726ab2f1c02856a0 c2f1690ba206f51f207ed2cfdf053d3a c984d980ab6142b218dd1608b6aea8da f491b74e2faa407b613fb59690a9c23d fe546f6980b40cef90f09f83d8c2a3d8',
    },
  ],
  [
    'grep',
    {
      '8': '7427f452b8b6b9510db40e5db7cae8a3 7ede0abe5a87c63bea6a3d8c0e0abf0a a462b9f01786a0a75a3bc837e8c80b3c cef13052774ccd03e351949e2a410045 e1c2659c9b3669f3816d4aa9c1f699e3',
      '9.0': '2d8d90cecc52768d11c473028721f778',
    },
  ],
  [
    'has_interface_with',
    {
      '8': '2cf198f765337acf3043ace1686501e8',
      '9.0': '115813c65578e22800327f2b81433f52',
      behind: '2aa11baa95294b18f53838d46bb459a1',
      requires: 'deprecation stdlib::has_interface_with',
    },
  ],
  [
    'has_ip_address',
    {
      '8': '4d0dd42a7245ef5524abb9caac6fab16 4f925ab2e06b0cfcf6ce618e72d15606 5404e6d1a137f5415191b4dbeb871f67 8e1658190bfd2c5c8a0cc9578b2dfd0b c58ce84d9ad2be0137b7fe856d5a46bc ee7410f87cc53d7bf61a5a92b1537c63',
      '9.5': '7bb2e8a3ce820ae312a5ff53c797122e',
      requires: 'deprecation has_interface_with',
    },
  ],
  [
    'has_ip_network',
    {
      '8': '3092cafb4d13cc00c15134b68269f3f8 723e62c5b966297851dd997396aa033a 9af12834381660b27faf5e2e538d9c55 a3a0eb6edbe76dfc10d532ba3ba34901 e19716ec56988370d9b8d82798ed54e4 eefccf1283179917f8cc41a5b90f412f',
      '9.5': '11a0926c7cb1f7f650e9cf14d5dcc84e',
      requires: 'deprecation has_interface_with',
    },
  ],
  [
    'has_key',
    {
      '8': '03d7a59d30dfc3aa6ab465c68b9d880f 10b2801f244aa0458524dcb71fc92d3e 3e73f9ff713700efaa25be104460c1b6 b3d34364f10567e2422fd086406d8c2c b597c3b0949174c9c97aa1122fa4104f',
    },
  ],
  [
    'hash',
    {
      '8': '10a62d7fa329918299a1757c29ed9ea0 5071e808b7aa38216a33f4dd566da838 6c48bb15f53327063702afe19c363f47 86ac2b5e1c109dfc9371d27e88a45c40 b924a4bdb7c0ee56ec280d51af94af3f',
    },
  ],
  [
    'intersection',
    {
      '8': 'adc90c1903b68764e8d5109b996e5a53 dc29d08b53d20088ad35bb4686c181e1',
      '9.0': 'dcbb4415028cbe5b45db391061b14071',
    },
  ],
  ['is_a', { '8': '869b2af1f1808a8b185017630792e3f0' }],
  [
    'is_absolute_path',
    {
      '8': '2cf84b3fa77eac953b8c87a94a0dd93d 3ca8b3fddb305cc85bab1419d5a514b0 5df46b7a48e702e48ce44a1f55b748f9 95d71818096e48f63edc618e55d611fa a2dc8fbe7b3e3059e8d657a091ea5fa0',
      behind:
        '2277d8ae72491ad5a591b60afe3e770e 8fe9d5c51ee60cdd5657a0ed198d72ef 9765315ecd0baf0a60b01bcc4c8b2787 9eb94fa489df71863e1b87622486c86d dded34e3a43a8dcc53ce0c915a992a84',
      requires: 'deprecation',
    },
  ],
  [
    'is_array',
    {
      '8': '0c63f17c3d4ac808ac41a089b61614a4 11e36c8529467cd1a28a0ff79a051026 53b684bf94eab56660455a34c760e144 54f5e24234842d553bc30bbe81d850a1 ddaf79d047cb29d9745936f76eb6dd49',
      behind:
        '3c77ba5317cd377ed331f608a6e0316a 75d450061ed3edabb9ccb89e23f9aa6c 95a5c5fa996e8e29412ebcea3a91dfd9 d8c42f020c91a1cecdc1351de83eca34',
      requires: 'deprecation',
    },
  ],
  [
    'is_bool',
    {
      '8': '13b1579f28356e9fe27fa0411f7d2efb 8cf9d5794c7179223929551ca6f538ec b745630f8fcb4131a44dffc0d2a6431a f27e85bddfdb15022ed977af2572df8f f7b603133bfc7f5482bf5e92c5c1af48',
      behind:
        '2629026ce97ae7d4550f1e2afbef68f7 28ad7631d4a46415c2633654a0218d30 8f4803f47daa358f9279c92ab10ffdf3 93a2914b3e77ba4003d204955e846eed e8fa0c7fdf085e06249e50264816d508',
      requires: 'deprecation',
    },
  ],
  [
    'is_function_available',
    {
      '8': '1650b015045dc3c1f06501f907b69f88 19aa7ab236376b74889b1d5e74280a67 97bdf9fe08baac604fcac551c5594fc0 c8e3368f4c8fa14674ec1717051a6233',
    },
  ],
  [
    'is_integer',
    {
      '8': '05f26e7ae676d2810b91b3bdeb6fd192 443c5ba9831ca616c8ce6c617a50252c d69127c56038a797518d9c1ef7b07052 ef1a162c917df93ebcd2b0df0dcd3f97',
      requires: 'deprecation',
    },
  ],
  [
    'is_string',
    {
      '8': '1d0cb84cadf96f6b15f67a1dbda84bb9 3308e8b9fe108c772387aaa8a887b557 59db9b6a074de42144325eaca0e34d53 a793d81c931edbe73d85400bfce07b3c e8a72f25c257d084e6ce7f41127ba439',
      behind:
        '2e46cefd233947ba64cb865ced9538d4 b5e8e5823390b26fa83e87acb00a4407 e031ec5252e35c7d03ddc83f6c86848a f1e3bb14cf08e929c4e263b69a9613b1',
      requires: 'deprecation',
    },
  ],
  [
    'join_keys_to_values',
    {
      '8': '86d793c5f1c24b068df8ed14e63228b9 bbb02f9f1a9af4a597a2024fa376f229 d7f38eb2bd4f9193d107c881c4b89904 f84b2a5afe5ef10c212a353ae7895baf',
      '9.0': '0afadd8a7793c43f07c2aa29d61b6f0d',
    },
  ],
  [
    'load_module_metadata',
    {
      '8': '143ac16c9446711b2485029287797b9b 23478306a6c5d20c5d6f3febbbd3ca18 b1ae2848d4043ee6674afbacee484477 b7b24af2839ebd73e3abb2ac62bbe12c df90e53cfd4371b3ddd49aa4f0026b44',
      '9.0': '0d46d2ce0dec28549d910fb5ac104bba',
      requires: 'get_module_path',
    },
  ],
  ['loadjson', { '8': 'a6b42fd211dc012ca3e1f223feca6188', '9.0': '5bbd894f3d8d66ec4775b8d3533669f3' }],
  [
    'loadyaml',
    {
      '8': '4bb6560ac9f852bfbb2d25342548ba95 5f6921b3dce6ccf85bc035acacb27b27 8d4bc18a2041b5f78f65409673d31693',
      '9.0': '942dd672f6d4c87c9364851e9ddada08',
    },
  ],
  [
    'member',
    {
      '8': '3739c79b0acb8abfa1c56cd21fd7f712 657527d469f2c30ea6dfdac54501a787 83553f83a1bf0818936953a31666d9a9 9e9f841c56f1958b6e128745611f5e26 fcd8eb01cfd015bc45840ee493d10b11',
      '9.0': '172beb873f4bf6524fe3b78f29c5438a',
    },
  ],
  [
    'merge',
    {
      '8': '491140c5e8751dfcaf0fb49cbf18093e',
      '9.0': 'dc1717edacf88a9d66f56fb7bd42721c',
      behind:
        '0f4ff35f9081fbe22ae5ac46276899a4 d44934589e1c10f0ff881a942e88f55d ddcab04693e40824a518cf967c453082 e69345ac7fc8ea145cf017d43d152e6f e79b082326ab773011e77a771807cbe8 e8ebed0535aacebff5cfbe7ea1676be2',
      requires: 'deprecation stdlib::merge',
    },
  ],
  [
    'num2bool',
    {
      '8': '0ea3c803a16d4f453286a947ce0d4d26 803a2ccc88281ada9ea4a507be02c037',
      '9.0': 'e2dea7bc237320a84c233bb24307aac6',
    },
  ],
  [
    'os_version_gte',
    {
      '8': '41fd6d930042444cdcff27803a23fa2c',
      '9.0': '2825585b797d46a1f751d39582e3e43f',
      requires: 'deprecation stdlib::os_version_gte',
    },
  ],
  [
    'parsehocon',
    {
      '8': '2d3fecb7ffa628cddf57924a97964f6d 90b8d87c18a34357c3a67f0796ee535c',
      '9.0': '8c77434e775bdca14f1027242ac14c3d',
      requires: 'deprecation stdlib::parsehocon',
    },
  ],
  ['parsejson', { '8': '447301ee1c99d751e51e1a81e82210cf 8bcc6ab9a52f4cff9f7fa797a16b765c' }],
  [
    'parsepson',
    { '8': '58ae8a383da4858fb4bbeea04d3d4cdf', '9.0': '2792a77f571eaaada7481a9b2ebbf9bd', requires: 'deprecation' },
  ],
  [
    'parseyaml',
    {
      '8': '0fef87bbee849c554805f156c31b3bb9 1816fec72799e4e78e53a88ed1f5bc7f baef9020c45a2373d5f0cd8add793f12 d341e25fe6a337cb40e4cd667fe5175b de61a764343a97a32fec1d9914d66631',
      '9.5': 'b9d32b90650dcdeb468ebe078019736b',
    },
  ],
  [
    'pick',
    {
      '8': '0ebe5cafa58d2d4d474004973dbfbd9e 21cc8541e46b41853cbe260927bb1db7 7db5f9011de0fe90912cbb451d3f38ac 83c7237de31c90d76bfd2ac620641edc bbfbf29207dc0d3a7c41f6fa579d7282 e260a5caf1b41e618901b80404d698c0 f0053f3559b9286d35c448e0d125ab83',
    },
  ],
  [
    'pick_default',
    {
      '8': '1fca45cf20a540ac88f77480efe0c0fb 25e67a1a71e1dd3fa2cdaacbf5a4d68b 45fb9ff571078b8681abd4e7a57d8b1b 70c78d45a1fa80d595e58cb24982706e c2096ab81dd04b341199ada560e6d337 f5806f3a0e0431fad52dcec4cbb2c64b',
    },
  ],
  [
    'powershell_escape',
    {
      '8': '489978a8503cb89e8f4f41d70d2cf66e',
      '9.0': 'd019aa6b1dcf0e4f67c6463173b04db3',
      requires: 'deprecation stdlib::powershell_escape',
    },
  ],
  [
    'prefix',
    {
      '8': '17b4d2f4061f14c665deb0d9bca619f1 498d647112e3203664f88a6f179dc3fd 67dfee15f2e8fd1e2024be8fd8d65f51 c1c36bbdaebbfd35f96f337323451174 cbf4965c9cf32757f9ce36a16ae7137e',
      '9.0': 'b1113129dfce0d35165b83eebd5d99c8',
    },
  ],
  [
    'pw_hash',
    {
      '8': '410e9594dcb3f4be874e601ee07aeb07 a17b0fa65aa5af4cc90e310e19a27160',
      '9.0': '29589d485de26b4cd367ebdea9ef3841',
      '9.5': '97866f379a9c97297f6df558593cb6a1',
    },
  ],
  ['range', { '8': '0e0d32b4dc0ca92f66b0b11124d3755a', '9.0': 'ed3ea7e8f0392da381a1839492e753c7' }],
  ['regexpescape', { '8': '2821961873d322657760321f914db7fe', '9.0': '442ca8850507d22ffc947f5f271f7a1a' }],
  [
    'reject',
    {
      '8': '2c454a5a4d5936efe56f706582297d0b 6738ec48ec4c69726f7617abc1538264 ca4c72d58dc9ced83573a18544cb2eee d3f1da92e71b870926d3630a9de1603c d45268fd2432b2f117a396c8f919cd4c',
      '9.0': 'ff0f77ac8443275853c7a50b8d7ca06a',
    },
  ],
  [
    'reverse',
    {
      '8': '21adcb2259bddfcfccc5d6c00adb88d4 2532e71aff6b8c2a4789472d8c6e1424 5f12736a96cb35adde36815a450bd40f 7f5118757bcf5c35dbd07d1945e7ea99 ecb30f23cee935909c17c9acf7eaa0d3',
      '9.0': '376c1eddc28b62ff0414c4a77b4b1829',
    },
  ],
  [
    'seeded_rand',
    {
      '8': '7b1accdd657a09ed16e96194bd283044 b509c3132990d3eea1bb67cda787b9e8 c95f8021dd126e9c8bf5e7a110ae3e55',
      '9.0': 'b2ea4f3c8b18ad1d876fcfb221f92ddf',
      requires: 'deprecation is_integer stdlib::seeded_rand',
    },
  ],
  [
    'seeded_rand_string',
    {
      '8': '4f45b3e89757c1967a0057cf7900cc86 afffb871156a10b21fa22e795f0a464f eef070c93a50dba83a45045e6149942c',
      '9.0': '1548bac52c2ee3700c698fb38043b81f',
      requires: 'deprecation stdlib::seeded_rand_string',
    },
  ],
  [
    'shell_escape',
    {
      '8': 'ac0ce47b749f8746dd01856d5dbb31ba',
      '9.0': '26641f1d0a1738dd0a7460dffb0e4985',
      requires: 'deprecation stdlib::shell_escape',
    },
  ],
  [
    'shell_join',
    {
      '8': '3e1f26efbe5a5b361a6882644d075f54 50da39b8b45edfcf586cde94fee942ed 8cb1befd15f3fea249483ab399856c15 b0a573db137b35403b1cd5cd73bb2a8f',
      '9.0': '3e5b0bdec93b873092be4dc218d5d9d6',
    },
  ],
  [
    'shell_split',
    {
      '8': '0d2c7e443bba511d56c2a52e84234219 1a9afcab7ef6a889b050df5a21797bc6 1d8fbafcd4e5324f264efb682f886899 54ef9d4bfa2bcd7f2f4cb20582e3c99f cc264cbbb368503ca9aec2fb3400dcba',
    },
  ],
  [
    'sprintf_hash',
    {
      '8': '8e888d949f21fd93cd4a8ec94f56bd19 afb6eb1db03dd04a15559f7290698a94 b8b8ee5339ca016b9d1a0fe548a1d3b6',
      requires: 'deprecation',
    },
  ],
  [
    'squeeze',
    {
      '8': '51a37d395ac7f93fdb86546a44cf599d 7a24810d2cfa9f3880e356c8ccdf4c62 9182646903b6e560e94fcfb4dfa42b15 a60d66cd6dd6e01978b38db44a46029f',
      '9.0': 'a6cc346c941727aa1a752410d42071eb',
    },
  ],
  ['stdlib::batch_escape', { '9.0': '4b1b268e926d77cb6e2a7152e9b332f8' }],
  ['stdlib::crc32', { '9.0': '994cbc772331998a7932404a9a7e1a6a' }],
  ['stdlib::end_with', { '8': '6224087110c137225c0f88b1870888e4 c54a1f7258042358efaa9617bf042aa2' }],
  [
    'stdlib::ensure_packages',
    { '9.0': '0e8e15a9b91cc7ce06e1fc29724f57b1', requires: 'defined_with_params ensure_resource' },
  ],
  [
    'stdlib::extname',
    { '8': '42a0443dc8ccd03388ce9995283fe953 c6d0ddec2c63ae18f423ec4e259061b8 d7a740091698b33500bf815b91650941' },
  ],
  ['stdlib::fqdn_rand_string', { '9.0': '657c8b263a11546fd9afe19ab8c25573' }],
  ['stdlib::fqdn_rotate', { '9.0': '55d685519a313d1c79290efbbd8a34ca' }],
  ['stdlib::has_function', { '9.0': '4b38d64bcdedefda8de7b4490b29a3d5' }],
  ['stdlib::has_interface_with', { '9.0': '3353a63f9be2932b4207eda78058c8ff' }],
  [
    'stdlib::ip_in_range',
    { '8': '46b7241ca1a4aa1ce73e9f0ab5f9ab11 9b887864e5f0d3d72150dd74696bcb05 d16281bdce87eee19a00bdcafb6177db' },
  ],
  ['stdlib::merge', { '9.0': '999002a9876b0893c70623b736a2ec47' }],
  ['stdlib::nested_values', { '9.0': '2860c4a85072e91093cc966341b3f81d' }],
  ['stdlib::os_version_gte', { '9.0': 'cb1664fa787dbb69d90751cfa0453672' }],
  ['stdlib::parsehocon', { '9.0': '4859583a144f8f1608962faad65e06e7' }],
  ['stdlib::powershell_escape', { '9.0': 'ba0c8e619115d5570de879d9834bcd96' }],
  ['stdlib::rewrap_sensitive_data', { '9.5': '9a6917d7cb116eaf27d7559e72be443a' }],
  ['stdlib::seeded_rand', { '9.0': '778dbf15c1c3dc3b9e4366a3c0e19394' }],
  ['stdlib::seeded_rand_string', { '9.0': '6d1440aa95db052fb98de1c8e01fdb2f' }],
  ['stdlib::sha256', { '9.0': 'f5a79f68cca6b02936f4bc630fa3b02f' }],
  ['stdlib::shell_escape', { '9.0': '55382f27d0562f06492417e5bf040ea1' }],
  ['stdlib::sort_by', { '9.5': '6ad6585e1b333666ac4ef1084a19adcc' }],
  ['stdlib::start_with', { '8': '37eac931c90108fa1ae8e6ef25dbed22 3bd485d65ba8b721b1616a1c666169fe' }],
  [
    'stdlib::str2resource',
    {
      '8': 'af9f5cb05e11f315402b28cd962bec8a dbb6e181ddb45b3f57014bb2f96e29bb',
      '9.0': '9839f5437f11e43ba4ca56353af79dba',
    },
  ],
  [
    'stdlib::to_json',
    {
      '9.0': '920b197aefa902baccb4f256685130b7',
      '9.5': '20941f30afeaa4008466f7fdbafeee3e',
      requires: 'stdlib::rewrap_sensitive_data',
    },
  ],
  [
    'stdlib::to_json_pretty',
    {
      '9.0': '2eaaf5c0ac017c377f590e9e88f3a6a5',
      '9.5': 'dc416d0ccedea8580428fe3300c438ff',
      requires: 'stdlib::rewrap_sensitive_data',
    },
  ],
  ['stdlib::to_python', { '9.0': '96d9bd450284d5b94655259ab69f6107' }],
  ['stdlib::to_ruby', { '9.0': 'aff777a0f15a19dffe90cd4a64ff6ca5' }],
  [
    'stdlib::to_toml',
    {
      '9.0': '680ac78cb8e35185b8c3bca356aa278c',
      '9.5': '3490250b96bf0b00cb2bd9e64edcebf5',
      requires: 'stdlib::rewrap_sensitive_data',
    },
  ],
  [
    'stdlib::to_yaml',
    {
      '9.0': 'f81c6b34d3fb73b7005603e258e0fd34',
      '9.5': '69e187801f95159bbde25c7d0a6d5477',
      requires: 'stdlib::rewrap_sensitive_data',
    },
  ],
  ['stdlib::type_of', { '9.0': '48bc87110c83ea63f8f8f07459e21600' }],
  ['stdlib::validate_domain_name', { '9.0': '7b024f6011fabb76f60bc19c3550f903' }],
  ['stdlib::validate_email_address', { '9.0': 'a9c3d434086482525f4d50d8333c5c14' }],
  ['stdlib::xml_encode', { '8': '36e11de3ee8b06e818feb9b6c280111d' }],
  [
    'str2bool',
    {
      '8': '02be44246d20e098b2bc6f385fafdc8c 13419614b5c34cc4f63657cd7e40e1fc 382024b27511052d76f08c8d80abec96 5c3ba03a4f53108bd75c94794613f5cb c48549f8e9a00c7587c9f420f5344a51',
      '9.0': '8b6c42cb9f4cb0e39a7d21e972e309ac',
    },
  ],
  [
    'suffix',
    {
      '8': '083987ae932ea1d30eb60563d4aff230 76ba2b5f178244afffbe81934813109c 8c2760c51384657805666dfdefe8365d a6efdc86d9c5acfddc761ca882b326e9 fe2c9a0398c56514f255b5948fff616f',
      '9.0': 'dd882f53878c955225bcab890ef3127f',
    },
  ],
  [
    'swapcase',
    {
      '8': '435e78ccf9005032926b10c69da70fa6 568d77cd3907f95b95959230ffc2f08f 9a6604003d9ee346113b7717c1c098ec c0590550eea800ffb1b5841c77b43495',
      '9.0': '030129430bee3b6d340527319f26792b',
    },
  ],
  [
    'time',
    {
      '8': '23e464f9d4faae7ca6fd8b437a4060f9 29140cb46754eab12c8d359542dcbda4 41674bdf4fe256adb7a6f05c443bb401 5484d7b82f055701b34b6146aabe025e b54f8f7c909c9020638084c5ee11b432',
      '9.0': 'f81ddf8a520a883a5d0ae0dac8b6411a',
      '9.5': '10c88eaa29cf0eb92c97d6c0bb47e638',
    },
  ],
  [
    'to_bytes',
    {
      '8': '09b57beb4ac8e988a92e3e4cfad5a5b4 2ceb0bce353cbe2ae53b7ff4821215bd abf7c85c67f545f8b7db614eae24a472 b14be9345bc61e0a796433187aaa6c3c f67fe5118f9f9677f1494aa994441df7',
    },
  ],
  [
    'to_json',
    {
      '8': '36ceef44c3533f71f410326af3c77e70 520401415121fb9a836607dc860e9d0f 5605b00f0dcade8d702b7e558d221ac8 5fc2d4b1307eddb556bc5d7d32b277fe e7448d221e197d5ac18c8b601b1f780b',
      '9.0': '98d4c84d93b83eeb0ad598164f4ab684',
      requires: 'deprecation stdlib::to_json',
    },
  ],
  [
    'to_json_pretty',
    {
      '8': '137c171c382b99c5ddb3dcaa6f6cc383 2c34f6a7f6339887028465e4bcdf1762 f87f955cf2ab757863a11e418ff9b7d6',
      '9.0': '718823314a39e2f9c5ba35846f66b7f7',
      requires: 'deprecation stdlib::to_json_pretty',
    },
  ],
  [
    'to_python',
    {
      '8': '22bb4e572611e9cffb868e593ab4cac7 c0bd6e85e5dcbd09e7b5419bee298798',
      '9.0': '35365fb0007920864046f5f88865812f',
      requires: 'deprecation stdlib::to_python',
    },
  ],
  [
    'to_ruby',
    {
      '8': '00050bfa2bbd68a007e7c51b07a187d6 26dd0a126ee96a35e8e4192397060a6b',
      '9.0': '91ea10b4eb336a0ad0ebb0d48e353a8b',
      requires: 'deprecation stdlib::to_ruby',
    },
  ],
  [
    'to_toml',
    {
      '8': 'e7e1644742cf7d45a95f8438efde2bed',
      '9.0': '15483c9d209b6856c59fe7aba612b347',
      requires: 'deprecation stdlib::to_toml',
    },
  ],
  [
    'to_yaml',
    {
      '8': '30dfd95391b1c763c1b11081509be324 611bc547584f07aea1f965f4b6876ff5',
      '9.0': '78ed0340c2909776975c0573002a9156',
      requires: 'deprecation stdlib::to_yaml',
    },
  ],
  [
    'type_of',
    {
      '8': '026c5587360e49b9564934769419792f 2a17332cb76c79f4200e459f786fa056 83d389b92c5298944a27ee07ecd40216 cc630b8612151cffa27658ce2675fe99 dabfaa8bab24f812daba0c318f9538fb',
      '9.0': '57ca11364702435c55df07a042e55712',
      requires: 'deprecation stdlib::type_of',
    },
  ],
  [
    'union',
    {
      '8': 'bac241274faee34e5cd23709e579bb14 bec99e23d5aa06b7971b2f9a2959dd93 bffd9fdad84b1b277c26d9776b6bc6d6 c0a287610246d7852f584a09b15e5c8b deb321e798df15624b9b7846da4a3bca ea9a5dfb4066267426647fd8bcc9d476',
    },
  ],
  [
    'unix2dos',
    {
      '8': '1b46404e92fda39fa8e2a9c1a1a6e5ea 2ff7917c2d460aae11f0a9b187ed575b 585116ae2745b44038a665c9aa3e32de ecf46c5eb6b608d71b3bcd71b5202343',
      '9.0': 'ef3bce0f745546b2f4dab5157a812063',
    },
  ],
  ['uriescape', { '8': '99782e8d162bc7a659c5b721d05fecd5', '9.0': '9673effd2dc31dcba1d1e1ac89c2f958' }],
  [
    'validate_absolute_path',
    {
      '8': '15c20110fdd3b7eb56d9c36babea52f5 6b2f7943391ccf1ce35fef72e11749c5 c1e4e62ff6185300fc03fbc843adf87f e73b34ca565b22e5867c8c58ed8493a5',
      behind:
        '27fa28ab892ef0380a484dbaaf6a50d9 42e946999f06f37f8c91d85e58aa6286 47c3e00a5e1b1086bbc159b51dc58ef8 7a31e8bd3953ce8cff1783feecc1330b',
      requires: 'deprecation is_absolute_path',
    },
  ],
  [
    'validate_array',
    {
      '8': '27736cd64fab1106a918fb28c0c8c865 2f24e9bf39fc12f48d202a29422206b2 3a87195375c08201a4ed3d838d442cfd 74d3c715b65049b8b4eb9bf75393f4d0',
      behind:
        '6011ef4e19553f1471266b81ae8dd55e b3fa7820e72cb7934eb9d1130ad660ee d4218405da5a68adeb1ac4d10a26eb2c fb8a1e0436cc56b5e276b51458330725',
      requires: 'deprecation',
    },
  ],
  [
    'validate_bool',
    {
      '8': '1f3ca67369dece7998aae3c799c96057 6fb51a020efd9bcfd4e9b5a0ec72f89b 8cdb657204eb9b566d5c886f3d8a8712 d404381f1c984931571f4a43efe6780d',
      behind:
        '204ce64776b6285f8345853c8eee1afe 824f760169e66df7ff5b75a2d57a5225 c32655fbcf31961610823a27bc60faad e83ce73f61acb5908fa6be9ff13356e2',
      requires: 'deprecation is_bool',
    },
  ],
  [
    'validate_domain_name',
    { '9.0': '962370f1f43fe879c9258f5800a87166', requires: 'deprecation stdlib::validate_domain_name' },
  ],
  [
    'validate_email_address',
    { '9.0': '0775253f3df427dac13db5930e8bd208', requires: 'deprecation stdlib::validate_email_address' },
  ],
  [
    'validate_hash',
    {
      '8': '3d0f519622a38d6cc1b2ef8b63377d18 889b3be7dcc7a56e6095adf5a423d440 b2fc850edccbcd68b9c9c0aeb929ea9d c25bc76b1d038b1be288e313325957bd',
      behind:
        '05127761df674deb1d866232c7776beb 1fc71952e53ca313557abfd4c30fa3c0 960ac5269e22e9ef1e298583abc36613 9d6e3ca621bb3f4bc15dd71ae29e205f',
      requires: 'deprecation',
    },
  ],
  [
    'validate_integer',
    {
      '8': '0ad41374ccfaac1d8c2d6224007e1499 20fb128c0f0ee1044f1dc2f07e92b9d9 2307ce86c2eefd80beb77b197418c305 ac0324afca1329ddf807ba1b9769a483',
      behind: '18f78c0097cab9336162e329ba2dbcbb',
      requires: 'deprecation',
    },
  ],
  [
    'validate_legacy',
    {
      '8': 'a9591da5b580b01397e122de55a29425 b58d7ca78a27a1d9a95f86f9d3fb2045 c43e6ee6919d2809d5a67ce062b0c3cc',
      requires: 'deprecation',
    },
  ],
  [
    'validate_re',
    {
      '8': '03169ee68bb9ee61302ef4efbd76ae3b 12439b2f151473fdaaa95de0e8b2dc2b 5c1990293d68ca7ad553f9fd52f83c72 64c14a70e90f453b19ec1637d1216ff4',
      behind:
        '02e81ecac988470d2e585196bd25013d 3af4d384c6c57b67795d60b0f2cc6409 c821f63f2a727ab974e88bf9e884f4ec d27fa66f552f20895a9ab3f232a7d868',
      requires: 'deprecation',
    },
  ],
  [
    'validate_string',
    {
      '8': '28b06f7de022d635f3a7c4357ca76d7f a057ddf102240359ef56bcceb19e1048 afba08dd31e00c7afcf6b6b0e1b4ab4b f24fdf23d09e32c3f8f938e262b14c93',
      behind:
        '0969185c8f30dedd058fd15c04419792 68baa8afeb4f4507b1a2f7506ec08899 83778c405c140d29899efe9861e34fe6 d683a397456bb24f5faa95f863431ea3',
      requires: 'deprecation',
    },
  ],
  ['values_at', { '8': '9a43494cb3ca8a4baa1c3a6e996e76b2', '9.0': 'a6ef1bdb1abb8580a7b1e3b9241e870c' }],
  [
    'zip',
    {
      '8': '346cac4551fb186a214ed6f96c2ff4b2 73718ebaecff5bcc939e633b6d438fb3 b5e6a36eb875559b0dab768ec8adfd02 e808b43b16e4363a1e249561795efa54',
      '9.0': '7c8363060775402cdf8fd1a3d847a4ec',
      requires: 'str2bool',
    },
  ],
]);

/** Texts of `lib/puppet_x/stdlib/toml_dumper.rb`, which `to_toml` uses. */
export const KNOWN_TOML_DUMPERS = '57a02bbb4f19016a8320b0baa3531f87 8fee21276e6a7dcea4ec1d13ab96ef7d';
