//! Encoders and augmentation of image inputs: read and checked, not run.

use super::encoders::encoders;
use super::layers::{ENCODER, FC, INITIALIZERS};
use super::pretrained::{SAVED_WEIGHTS, USE_PRETRAINED, trainable};
use super::types::{
    BOOL, FLOAT, Key, Names, OPT_SIZE, OPT_TEXT, SHARE, SIZE, TEXT, Type, Union, Variant, key,
    variant,
};

const IMAGE_LATER: &str = "leave the image column out";
const SIDE: Type = Type::Either(&[SIZE, Type::Tuple(&[SIZE, SIZE])]);

const CONV: &[Key] = &[
    key(
        "conv_layers",
        Type::Nullable(&Type::List {
            of: &Type::AnyMap,
            min: 0,
        }),
        "null",
        "Convolutions one by one.",
    ),
    key("num_conv_layers", OPT_SIZE, "null", "Convolutions."),
    key("height", OPT_SIZE, "null", "Height in pixels."),
    key("width", OPT_SIZE, "null", "Width in pixels."),
    key("num_channels", OPT_SIZE, "null", "Colour channels."),
    key("out_channels", SIZE, "32", "Filters of each convolution."),
    key("kernel_size", SIDE, "3", "Pixels that a filter sees."),
    key("stride", SIDE, "1", "Step of a filter."),
    key(
        "padding_mode",
        Type::OneOf(&Names::of(&["zeros", "reflect", "replicate", "circular"])),
        "\"zeros\"",
        "What stands around the image.",
    ),
    key(
        "padding",
        Type::Either(&[Type::OneOf(&Names::of(&["valid", "same"])), SIDE]),
        "\"valid\"",
        "Pixels around the image.",
    ),
    key(
        "dilation",
        SIDE,
        "1",
        "Distance of the pixels that a filter sees.",
    ),
    key("groups", SIZE, "1", "Groups of filters."),
    key(
        "pool_function",
        Type::OneOf(&Names::of(&["max", "avg", "average", "mean"])),
        "\"max\"",
        "How neighbours are pooled.",
    ),
    key("pool_kernel_size", SIDE, "2", "Neighbours that are pooled."),
    key(
        "pool_stride",
        Type::Nullable(&SIDE),
        "null",
        "Step of the pooling.",
    ),
    key(
        "pool_padding",
        Type::Either(&[
            Type::Int {
                min: 0,
                max: i64::MAX,
            },
            SIDE,
        ]),
        "0",
        "Pixels around the image.",
    ),
    key(
        "pool_dilation",
        SIDE,
        "1",
        "Distance of the neighbours that are pooled.",
    ),
    key(
        "conv_use_bias",
        BOOL,
        "true",
        "Whether convolutions have a bias.",
    ),
    key(
        "conv_norm",
        super::layers::NORM,
        "null",
        "Normalisation of convolutions.",
    ),
    key(
        "conv_activation",
        super::layers::ACTIVATION,
        "\"relu\"",
        "Function after convolutions.",
    ),
    key("conv_dropout", SHARE, "0.0", "Dropout after convolutions."),
    key(
        "output_size",
        SIZE,
        "128",
        "Units of each fully connected layer.",
    ),
    key(
        "num_fc_layers",
        Type::Nullable(&Type::Int {
            min: 0,
            max: i64::MAX,
        }),
        "1",
        "Fully connected layers.",
    ),
];
const TORCHVISION: &[Key] = &[
    USE_PRETRAINED,
    trainable("true"),
    key(
        "model_cache_dir",
        OPT_TEXT,
        "null",
        "Folder of downloaded models.",
    ),
    SAVED_WEIGHTS,
];
const fn vision(name: &'static str, keys: &'static [&'static [Key]]) -> Variant {
    variant(name, keys).later(IMAGE_LATER)
}
macro_rules! torchvision {
    ($name:literal, $size:literal) => {
        vision(
            $name,
            &[
                ENCODER,
                TORCHVISION,
                &[key(
                    "model_variant",
                    Type::Either(&[TEXT, SIZE]),
                    $size,
                    "Size of the model.",
                )],
            ],
        )
    };
    ($name:literal) => {
        vision($name, &[ENCODER, TORCHVISION])
    };
}

/// Keys of the residual network of Ludwig 0.5, which its old configs use.
pub(crate) const RESNET_LEGACY: &[Key] = &[
    key("resnet_size", SIZE, "50", "Layers of the network."),
    key(
        "num_filters",
        SIZE,
        "16",
        "Filters of the first convolution.",
    ),
    key("kernel_size", SIDE, "3", "Pixels that a filter sees."),
    key("out_channels", SIZE, "32", "Filters of each convolution."),
    key("conv_stride", SIDE, "1", "Step of a filter."),
    key(
        "first_pool_size",
        Type::Nullable(&SIDE),
        "null",
        "Neighbours that are pooled first.",
    ),
    key(
        "first_pool_kernel_size",
        Type::Nullable(&SIDE),
        "null",
        "Neighbours that are pooled first.",
    ),
    key(
        "first_pool_stride",
        Type::Nullable(&SIDE),
        "null",
        "Step of the first pooling.",
    ),
    key(
        "batch_norm_momentum",
        FLOAT,
        "0.9",
        "Memory of the batch normalisation.",
    ),
    key("batch_norm_epsilon", FLOAT, "0.001", "Added to variances."),
    key("height", OPT_SIZE, "null", "Height in pixels."),
    key("width", OPT_SIZE, "null", "Width in pixels."),
    key("num_channels", OPT_SIZE, "null", "Colour channels."),
    key(
        "num_fc_layers",
        Type::Nullable(&Type::Int {
            min: 0,
            max: i64::MAX,
        }),
        "1",
        "Fully connected layers.",
    ),
];
/// Keys of the vision transformer of Ludwig 0.5.
pub(crate) const VIT_LEGACY: &[Key] = &[
    key("height", OPT_SIZE, "null", "Height in pixels."),
    key("width", OPT_SIZE, "null", "Width in pixels."),
    key("num_channels", OPT_SIZE, "null", "Colour channels."),
    key(
        "pretrained_model",
        OPT_TEXT,
        "\"google/vit-base-patch16-224\"",
        "Name of the model.",
    ),
    key("hidden_size", SIZE, "768", "Units of a block."),
    key("num_hidden_layers", SIZE, "12", "Transformer blocks."),
    key("num_attention_heads", SIZE, "12", "Heads of the attention."),
    key("intermediate_size", SIZE, "3072", "Units inside a block."),
    key("hidden_act", TEXT, "\"gelu\"", "Function in the blocks."),
    key(
        "hidden_dropout_prob",
        SHARE,
        "0.1",
        "Dropout in the blocks.",
    ),
    key(
        "attention_probs_dropout_prob",
        SHARE,
        "0.1",
        "Dropout of the attention.",
    ),
    key(
        "initializer_range",
        FLOAT,
        "0.02",
        "Standard deviation of first weights.",
    ),
    key("layer_norm_eps", FLOAT, "1e-12", "Added to variances."),
    key(
        "gradient_checkpointing",
        BOOL,
        "false",
        "Less memory, more time.",
    ),
    key("patch_size", SIZE, "16", "Side of a patch in pixels."),
];

encoders!(
    IMAGE_INPUT,
    "image",
    "stacked_cnn",
    &[
        vision("stacked_cnn", &[ENCODER, INITIALIZERS, FC, CONV]),
        vision(
            "mlp_mixer",
            &[
                ENCODER,
                &[
                    key("height", OPT_SIZE, "null", "Height in pixels."),
                    key("width", OPT_SIZE, "null", "Width in pixels."),
                    key("num_channels", OPT_SIZE, "null", "Colour channels."),
                    key("patch_size", SIZE, "16", "Side of a patch in pixels."),
                    key(
                        "embed_size",
                        SIZE,
                        "512",
                        "Length of the vector of a patch."
                    ),
                    key(
                        "token_size",
                        SIZE,
                        "2048",
                        "Units of the layers over patches."
                    ),
                    key(
                        "channel_dim",
                        SIZE,
                        "256",
                        "Units of the layers over channels."
                    ),
                    key("num_layers", SIZE, "8", "Transformer blocks."),
                    key("dropout", SHARE, "0.0", "Dropout in the blocks."),
                    key("avg_pool", BOOL, "true", "Whether patches are averaged."),
                ]
            ]
        ),
        vision(
            "unet",
            &[
                ENCODER,
                &[
                    key("height", OPT_SIZE, "null", "Height in pixels."),
                    key("width", OPT_SIZE, "null", "Width in pixels."),
                    key("num_channels", OPT_SIZE, "null", "Colour channels."),
                    key(
                        "conv_norm",
                        super::layers::NORM,
                        "\"batch\"",
                        "Normalisation of convolutions."
                    ),
                ]
            ]
        ),
        torchvision!("alexnet", "\"base\""),
        torchvision!("convnext", "\"base\""),
        torchvision!("densenet", "121"),
        torchvision!("efficientnet", "\"b0\""),
        torchvision!("googlenet", "\"base\""),
        torchvision!("inceptionv3", "\"base\""),
        torchvision!("maxvit", "\"t\""),
        torchvision!("mnasnet", "\"0_5\""),
        torchvision!("mobilenetv2", "\"base\""),
        torchvision!("mobilenetv3", "\"small\""),
        torchvision!("regnet", "\"x_1_6gf\""),
        torchvision!("resnet", "50"),
        torchvision!("resnext", "\"50_32x4d\""),
        torchvision!("shufflenet_v2", "\"x0_5\""),
        torchvision!("squeezenet", "\"1_0\""),
        torchvision!("swin_transformer", "\"t\""),
        torchvision!("vgg", "11"),
        torchvision!("vit", "\"b_16\""),
        torchvision!("wide_resnet", "\"50_2\""),
        vision(
            "_resnet_legacy",
            &[ENCODER, INITIALIZERS, FC, TORCHVISION, RESNET_LEGACY]
        ),
        vision("_vit_legacy", &[ENCODER, TORCHVISION, VIT_LEGACY]),
    ]
);

static AUGMENTATION: Union = Union {
    tag: "type",
    default: None,
    noun: "augmentation",
    doc: "A random change of images.",
    variants: &[
        variant(
            "auto_augmentation",
            &[&[key(
                "method",
                Type::OneOf(&Names::of(&[
                    "trivial_augment",
                    "auto_augment",
                    "rand_augment",
                ])),
                "\"trivial_augment\"",
                "Policy.",
            )]],
        ),
        variant("random_horizontal_flip", &[]),
        variant("random_vertical_flip", &[]),
        variant(
            "random_rotate",
            &[&[key("degree", FLOAT, "15", "Most degrees either way.")]],
        ),
        variant(
            "random_blur",
            &[&[key("kernel_size", SIZE, "3", "Pixels of the blur.")]],
        ),
        variant(
            "random_brightness",
            &[&[
                key("min", FLOAT, "0.5", "Least factor."),
                key("max", FLOAT, "2.0", "Greatest factor."),
            ]],
        ),
        variant(
            "random_contrast",
            &[&[
                key("min", FLOAT, "0.5", "Least factor."),
                key("max", FLOAT, "2.0", "Greatest factor."),
            ]],
        ),
    ],
};
/// On, off, or a list of changes.
pub(crate) const AUGMENTATIONS: Type = Type::Either(&[
    BOOL,
    Type::List {
        of: &Type::Union(&AUGMENTATION),
        min: 0,
    },
]);
