"""Images through a data set, augmentation and a small convolutional network, with callbacks:
after the page "Image classification from scratch" of Keras."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

SIZE = 16
CLASSES = 4


def pictures(count):
    """Noisy pictures `[count, 16, 16, 1]` of 0 to 255: discs, rings, squares and crosses."""
    labels = np.random.randint(0, CLASSES, count)
    middle = np.random.uniform(6, 9, (2, count, 1, 1))
    size = np.random.uniform(3, 5, (count, 1, 1))
    x = abs(np.arange(SIZE) - middle[0])
    y = abs(np.arange(SIZE)[:, None] - middle[1])
    far, wide = np.sqrt(x**2 + y**2), np.maximum(x, y)
    shapes = [
        far < size,
        abs(far - size) < 1,
        abs(wide - size) < 1,
        (np.minimum(x, y) < 1) & (wide < size),
    ]
    drawn = np.choose(labels[:, None, None], shapes)
    noisy = 50 + 150 * drawn + np.random.normal(0, 20, drawn.shape)
    return np.clip(noisy, 0, 255)[..., None].astype("float32"), labels


def build_model():
    return keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 1)),
            layers.RandomFlip("horizontal_and_vertical"),
            layers.RandomRotation(0.1),
            layers.RandomTranslation(0.1, 0.1),
            layers.Rescaling(1.0 / 255),
            layers.Conv2D(16, 3, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.Activation("relu"),
            layers.MaxPooling2D(),
            layers.SeparableConv2D(32, 3, padding="same", activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dropout(0.1),
            layers.Dense(CLASSES),
        ]
    )


def run(epochs, checkpoint):
    """The accuracy over new pictures, and how many epochs there were."""
    keras.utils.set_random_seed(1)
    train = tf.data.Dataset.from_tensor_slices(pictures(2000))
    train = train.shuffle(2000).batch(32).prefetch(tf.data.AUTOTUNE)
    validation = tf.data.Dataset.from_tensor_slices(pictures(400)).batch(100)
    model = build_model()
    model.compile(
        optimizer=keras.optimizers.Adam(3e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    callbacks = [
        keras.callbacks.EarlyStopping(patience=5, restore_best_weights=True),
        keras.callbacks.ReduceLROnPlateau(patience=2),
        keras.callbacks.ModelCheckpoint(
            checkpoint, save_best_only=True, save_weights_only=True
        ),
    ]
    history = model.fit(
        train,
        epochs=epochs,
        validation_data=validation,
        callbacks=callbacks,
        verbose=0,
    )
    images, labels = pictures(400)
    scores = model.evaluate(images, labels, verbose=0, return_dict=True)
    return scores["accuracy"], len(history.epoch)
